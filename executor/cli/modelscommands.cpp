// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/modelscommands.h"

#include "executor/cli/exitcodes.h"
#include "executor/cli/newmodel.h"
#include "executor/cli/standardstreams.h"
#include "executor/common/atomicfile.h"
#include "executor/control/protocol.h"
#include "executor/logging/masking.h"

#include <QDate>
#include <QDateTime>
#include <QJsonArray>

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

namespace method = control::method;

constexpr qsizetype kMaxKeyBytes = 16 * 1024;
/// A key store may take its ten seconds.
constexpr auto kStoreLimit = 25s;
/// The proxy tries again for about two minutes before it gives up.
constexpr qint64 kDefaultTestMs = 180'000;
constexpr int kDefaultDays = 30;
constexpr int kMostDays = 3660;

constexpr auto kHere = ClientCommand::WithoutProgram::StartHere;

QString text(const QJsonObject &object, QLatin1StringView key)
{
    return oneLine(object.value(key).toString(), 300);
}

/// Rows as columns of equal width, two blanks apart.
QString table(const QList<QStringList> &rows)
{
    QList<qsizetype> widths;
    for (const QStringList &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (qsizetype i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths.at(i), row.at(i).size());
        }
    }
    QString lines;
    for (const QStringList &row : rows) {
        QString line;
        for (qsizetype i = 0; i < row.size(); ++i) {
            line += row.at(i).leftJustified(widths.at(i) + 2);
        }
        lines += line.trimmed() + u'\n';
    }
    return lines;
}

/// From the file of --key-file, standard input for "-". Line ends around it do not belong to it.
Result<QString> readKey(const QString &file)
{
    QByteArray bytes;
    if (file != "-"_L1) {
        const Result<QByteArray> content = readFileLimited(file, kMaxKeyBytes);
        if (!content) {
            return tl::unexpected<Error>(content.error().within(u"--key-file"_s));
        }
        bytes = *content;
    } else if (isTerminal(StandardStream::In)) {
        writeAll(StandardStream::Err, "Key: ");
        bytes = readHiddenLine();
        writeAll(StandardStream::Err, "\n");
    } else {
        bytes = readAllInput(kMaxKeyBytes);
    }
    const QString key = QString::fromUtf8(bytes).trimmed();
    logging::addSecret(key);
    const bool printable = std::all_of(key.cbegin(), key.cend(),
        [](QChar character) { return character.isPrint() && !character.isSpace(); });
    if (key.isEmpty()) {
        return failure(ErrorKind::Usage, u"the key is empty"_s);
    }
    if (bytes.size() > kMaxKeyBytes || !printable) {
        return failure(ErrorKind::Usage,
            u"what was given is no key: it has blanks, line ends or more than %1 bytes"_s.arg(
                kMaxKeyBytes));
    }
    return key;
}

} // namespace

ModelsListCommand::ModelsListCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsListCommand::run()
{
    call(
        method::modelsList, {},
        [this](const QJsonObject &answer) {
            const QJsonArray models = answer.value("models"_L1).toArray();
            QJsonArray shown;
            QList<QStringList> rows { { u"NAME"_s, u"PROVIDER"_s, u"PROTOCOL"_s, u"MODEL"_s,
                u"KEY"_s, u"DEFAULT"_s } };
            for (const QJsonValue &value : models) {
                QJsonObject model = value.toObject();
                const QString provider = oneLine(providerShown(
                    model.value("family"_L1).toString(), model.value("base_url"_L1).toString()));
                model.insert("provider"_L1, provider);
                shown.append(model);
                rows.append({ text(model, "name"_L1), provider, text(model, "protocol"_L1),
                    text(model, "model_id"_L1), text(model, "key"_L1),
                    model.value("default"_L1).toBool() ? u"yes"_s : QString() });
            }
            if (output().json()) {
                output().jsonLine(shown);
            } else if (models.isEmpty()) {
                output().line(u"No model is configured: tasks use the engine's own account."_s);
            } else {
                output().text(table(rows));
            }
            leave(kOk);
        },
        kStoreLimit);
}

ModelsTestCommand::ModelsTestCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsTestCommand::start()
{
    const Result<qint64> limit = readSeconds(invocation(), "timeout"_L1, 1, kDefaultTestMs);
    if (!limit) {
        fail(limit.error());
        return;
    }
    m_limitMs = *limit;
    ClientCommand::start();
}

void ModelsTestCommand::run()
{
    call(
        method::modelsTest, { { u"name"_s, invocation().arguments.first() } },
        [this](const QJsonObject &report) {
            if (output().json()) {
                output().jsonLine(report);
            } else {
                show(report);
            }
            leave(report.value("ok"_L1).toBool() ? kOk : kFailed);
        },
        std::chrono::milliseconds(m_limitMs));
}

void ModelsTestCommand::show(const QJsonObject &report)
{
    const bool answered = report.value("answered"_L1).toBool();
    const QJsonValue window = report.value("context_window"_L1);
    QList<QStringList> rows { { u"Answer:"_s,
        answered ? u"first byte after %1 ms, whole answer after %2 ms"_s
                       .arg(report.value("first_byte_ms"_L1).toInteger())
                       .arg(report.value("total_ms"_L1).toInteger())
                 : u"none"_s } };
    rows.append({ u"Tools:"_s,
        report.value("called_tool"_L1).toBool() ? u"the tool was called"_s
            : answered                          ? u"the tool was not called"_s
                                                : u"not known"_s });
    rows.append({ u"Context:"_s,
        window.isDouble() ? u"%1 tokens"_s.arg(window.toInteger()) : u"not known"_s });
    for (const auto &[name, key] :
        { std::pair { u"Model:"_s, "model"_L1 }, std::pair { u"It said:"_s, "text"_L1 },
            std::pair { u"Problem:"_s, "problem"_L1 }, std::pair { u"Next:"_s, "hint"_L1 } }) {
        if (const QString value = text(report, key); !value.isEmpty()) {
            rows.append({ name, value });
        }
    }
    output().text(table(rows));
}

ModelsAddCommand::ModelsAddCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsAddCommand::start()
{
    const Result<NewModel> model = readNewModel(invocation());
    if (!model) {
        fail(model.error());
        return;
    }
    m_params = { { u"name"_s, model->name }, { u"values"_s, model->values } };
    if (invocation().has("key-file"_L1)) {
        const Result<QString> key = readKey(invocation().value("key-file"_L1));
        if (!key) {
            fail(key.error());
            return;
        }
        m_params.insert(u"key"_s, *key);
    } else if (model->needsKey) {
        fail(Error { ErrorKind::Usage,
            u"this provider needs a key: --key-file FILE, or --key-file - for standard input"_s,
            model->keyUrl.isEmpty() ? QString() : u"Keys are made at %1"_s.arg(model->keyUrl) });
        return;
    }
    for (const QString &remark : model->remarks) {
        output().note(remark);
    }
    ClientCommand::start();
}

void ModelsAddCommand::run()
{
    call(
        method::modelsAdd, m_params,
        [this](const QJsonObject & /*nothing*/) {
            const QString name = m_params.value("name"_L1).toString();
            if (output().json()) {
                output().jsonLine(QJsonObject { { u"ok"_s, true }, { u"name"_s, name } });
            } else {
                output().line(
                    u"Added: %1. Test it with: deskhand-executor models test '%1'"_s.arg(name));
            }
            leave(kOk);
        },
        kStoreLimit);
}

ModelsKeyCommand::ModelsKeyCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsKeyCommand::start()
{
    const Result<QString> key
        = readKey(invocation().has("key-file"_L1) ? invocation().value("key-file"_L1) : u"-"_s);
    if (!key) {
        fail(key.error());
        return;
    }
    m_key = *key;
    ClientCommand::start();
}

void ModelsKeyCommand::run()
{
    const QString name = invocation().arguments.first();
    call(
        method::modelsKey, { { u"name"_s, name }, { u"key"_s, m_key } },
        [this, name](const QJsonObject & /*nothing*/) {
            if (output().json()) {
                output().jsonLine(QJsonObject { { u"ok"_s, true } });
            } else {
                output().line(
                    u"The key is replaced. Test it with: deskhand-executor models test '%1'"_s.arg(
                        name));
            }
            leave(kOk);
        },
        kStoreLimit);
}

ModelsRemoveCommand::ModelsRemoveCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsRemoveCommand::run()
{
    call(
        method::modelsRemove, { { u"name"_s, invocation().arguments.first() } },
        [this](const QJsonObject & /*nothing*/) {
            if (output().json()) {
                output().jsonLine(QJsonObject { { u"ok"_s, true } });
            } else {
                output().line(u"Removed, with its key."_s);
            }
            leave(kOk);
        },
        kStoreLimit);
}

ModelsDefaultCommand::ModelsDefaultCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsDefaultCommand::start()
{
    m_name = invocation().arguments.value(0);
    if (m_name.isEmpty() != invocation().has("none"_L1)) {
        fail(Error { ErrorKind::Usage, u"give either the name of a model or --none"_s, {} });
        return;
    }
    ClientCommand::start();
}

void ModelsDefaultCommand::run()
{
    call(method::modelsDefault, { { u"name"_s, m_name } }, [this](const QJsonObject & /*nothing*/) {
        if (output().json()) {
            output().jsonLine(QJsonObject { { u"ok"_s, true } });
        } else {
            output().line(m_name.isEmpty()
                    ? u"Tasks without a model use the engine's own account."_s
                    : u"Tasks without a model use %1."_s.arg(m_name));
        }
        leave(kOk);
    });
}

ModelsUsageCommand::ModelsUsageCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, kHere)
{ }

void ModelsUsageCommand::start()
{
    bool ok = true;
    m_days = invocation().has("days"_L1) ? invocation().value("days"_L1).toInt(&ok) : kDefaultDays;
    if (!ok || m_days < 1 || m_days > kMostDays) {
        fail(Error {
            ErrorKind::Usage, u"--days must be a whole number from 1 to %1"_s.arg(kMostDays), {} });
        return;
    }
    ClientCommand::start();
}

void ModelsUsageCommand::run()
{
    const QDate since = QDateTime::currentDateTimeUtc().date().addDays(1 - m_days);
    call(method::modelsUsage, { { u"since"_s, since.toString(Qt::ISODate) } },
        [this](const QJsonObject &answer) {
            const QJsonArray usage = answer.value("usage"_L1).toArray();
            if (output().json()) {
                output().jsonLine(usage);
                leave(kOk);
                return;
            }
            QList<QStringList> rows { { u"DAY (UTC)"_s, u"MODEL"_s, u"IN"_s, u"CACHED"_s,
                u"OUT"_s } };
            const auto count = [](const QJsonObject &row, QLatin1StringView key) {
                return QString::number(row.value(key).toInteger());
            };
            for (const QJsonValue &value : usage) {
                const QJsonObject row = value.toObject();
                rows.append(
                    { text(row, "day"_L1), text(row, "model"_L1), count(row, "input_tokens"_L1),
                        count(row, "cached_input_tokens"_L1), count(row, "output_tokens"_L1) });
            }
            if (usage.isEmpty()) {
                output().line(u"Nothing was used in the last %1 days."_s.arg(m_days));
            } else {
                output().text(table(rows));
            }
            leave(kOk);
        });
}

} // namespace deskhand::cli
