// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/executorsettings.h"

#include "executor/common/atomicfile.h"
#include "executor/settings/sandboxsettings_p.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonParseError>

#include <array>
#include <vector>

namespace deskhand::settings {
namespace {

using namespace Qt::StringLiterals;

constexpr qint64 kMaxFileBytes = 1024 * 1024;
constexpr int kSchemaVersion = 1;
constexpr int kMaxModels = 200;
constexpr int kMaxNameLength = 64;
constexpr int kMaxRoots = 200;
constexpr QLatin1StringView kVersionKey("version");

// Ordered from the least to the most allowed, like the permission profiles of the engines.
constexpr std::array<QLatin1StringView, 3> kProfiles { QLatin1StringView(":read-only"),
    QLatin1StringView(":workspace"), QLatin1StringView(":danger-full-access") };
constexpr std::array<QLatin1StringView, 5> kLogLevels { QLatin1StringView("trace"),
    QLatin1StringView("debug"), QLatin1StringView("info"), QLatin1StringView("warn"),
    QLatin1StringView("error") };

Result<OwnModel> readModel(const QJsonValue &value)
{
    const QJsonObject object = value.toObject();
    const QJsonValue name = object.value("name"_L1);
    if (!value.isObject() || !name.isString() || name.toString().trimmed().isEmpty()
        || name.toString().size() > kMaxNameLength || hasControlCharacters(name.toString())) {
        return bad(u"every model must be an object with a \"name\" of 1 to %1 characters"_s.arg(
            kMaxNameLength));
    }
    const QString named = u"model \"%1\": "_s.arg(name.toString());
    const QJsonValue values = object.value("values"_L1);
    if (!values.isObject()) {
        return bad(named + u"\"values\" must be an object, not "_s + shown(values));
    }
    if (values.toObject().contains("api_key"_L1)) {
        return bad(
            named + u"\"values\" must not hold \"api_key\"; keys belong into the secret store"_s);
    }
    const QJsonValue secret = object.value("key_secret"_L1);
    if (!secret.isUndefined() && !secret.isString()) {
        return bad(named + u"\"key_secret\" must be a string, not "_s + shown(secret));
    }
    return OwnModel { name.toString(), values.toObject(), secret.toString() };
}

Result<> readModels(const QJsonValue &value, ExecutorSettings &into)
{
    if (!value.isArray() || value.toArray().size() > kMaxModels) {
        return bad(
            u"must be a list of at most %1 models, not %2"_s.arg(kMaxModels).arg(shown(value)));
    }
    // Good entries count even when another one is bad.
    into.models.clear();
    QStringList problems;
    for (const QJsonValue &entry : value.toArray()) {
        const Result<OwnModel> model = readModel(entry);
        if (!model) {
            problems.append(model.error().message);
            continue;
        }
        const bool twice = std::any_of(into.models.cbegin(), into.models.cend(),
            [&model](const OwnModel &other) { return other.name == model->name; });
        if (twice) {
            problems.append(
                u"model \"%1\" is there twice; the first one counts"_s.arg(model->name));
            continue;
        }
        into.models.append(*model);
    }
    if (!problems.isEmpty()) {
        return bad(problems.join(u"; "_s));
    }
    return {};
}

QJsonValue writeModels(const ExecutorSettings &from)
{
    QJsonArray models;
    for (const OwnModel &model : from.models) {
        models.append(QJsonObject { { "name"_L1, model.name }, { "values"_L1, model.values },
            { "key_secret"_L1, model.keySecret } });
    }
    return models;
}

Result<> readRoots(const QJsonValue &value, ExecutorSettings &into)
{
    return readTexts(value, kMaxRoots, &readAbsolutePath, into.allowedRoots);
}

const std::array<Key, 11> kKeys { {
    { "parallel_tasks"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return assign(readInt(value, 1, 16, u"from 1 to 16"_s), into.parallelTasks);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.parallelTasks);
        } },
    { "default_profile"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return assign(readWord(value, kProfiles), into.defaultProfile);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.defaultProfile);
        } },
    { "ceiling"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return assign(readWord(value, kProfiles), into.ceiling);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.ceiling);
        } },
    { "request_limit_minutes"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return assign(readInt(value, 0, 1440, u"from 1 to 1440, or 0 for no limit"_s),
                into.requestLimitMinutes);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.requestLimitMinutes);
        } },
    { "accept_tasks"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) -> Result<> {
            if (!value.isBool()) {
                return bad(u"must be true or false, not "_s + shown(value));
            }
            into.acceptTasks = value.toBool();
            return {};
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.acceptTasks);
        } },
    { "engine_wall"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) -> Result<> {
            if (!value.isBool()) {
                return bad(u"must be true or false, not "_s + shown(value));
            }
            into.engineWall = value.toBool();
            return {};
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.engineWall);
        } },
    { "codex_path"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) -> Result<> {
            if (value.isString() && value.toString().isEmpty()) {
                into.codexPath.clear();
                return {};
            }
            return assign(readAbsolutePath(value), into.codexPath);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.codexPath);
        } },
    { "models"_L1, readModels, writeModels },
    { "default_model"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) -> Result<> {
            if (!value.isString()) {
                return bad(u"must be the name of a model, or empty, not "_s + shown(value));
            }
            into.defaultModel = value.toString();
            return {};
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.defaultModel);
        } },
    { "allowed_roots"_L1, readRoots,
        [](const ExecutorSettings &from) {
            return QJsonValue(QJsonArray::fromStringList(from.allowedRoots));
        } },
    { "log_level"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return assign(readWord(value, kLogLevels), into.logLevel);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.logLevel);
        } },
} };

const std::vector<Key> &allKeys()
{
    static const std::vector<Key> keys = [] {
        std::vector<Key> all(kKeys.begin(), kKeys.end());
        const std::span<const Key> sandbox = sandboxKeys();
        all.insert(all.end(), sandbox.begin(), sandbox.end());
        return all;
    }();
    return keys;
}

qsizetype profileRank(const QString &profile)
{
    return std::find(kProfiles.begin(), kProfiles.end(), profile) - kProfiles.begin();
}

QString inKey(const QString &key, const QString &message)
{
    return u"\"%1\" %2"_s.arg(key, message);
}

/// Rules between settings. Each broken one is made safe in `settings` and named.
QStringList makeConsistent(ExecutorSettings &settings)
{
    QStringList problems;
    if (profileRank(settings.defaultProfile) > profileRank(settings.ceiling)) {
        problems.append(inKey(u"default_profile"_s,
            u"must not be above \"ceiling\" (%1), not \"%2\""_s.arg(
                settings.ceiling, settings.defaultProfile)));
        settings.defaultProfile = settings.ceiling;
    }
    const bool known = std::any_of(settings.models.cbegin(), settings.models.cend(),
        [&settings](const OwnModel &model) { return model.name == settings.defaultModel; });
    if (!settings.defaultModel.isEmpty() && !known) {
        problems.append(inKey(u"default_model"_s,
            u"must be the name of a model in \"models\", not \"%1\""_s.arg(settings.defaultModel)));
        settings.defaultModel.clear();
    }
    return problems;
}

/// Moves a file nobody can use out of the way and says where it is now.
QString keepAside(const QString &file, const QString &why)
{
    const QString name = QFileInfo(file).fileName();
    const QString stamp = QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd'T'HHmmsszzz"_s);
    const QString aside = file + u".broken-"_s + stamp;
    if (QFile::rename(file, aside)) {
        return u"%1 cannot be used (%2). It was kept as %3; the defaults count now."_s.arg(
            name, why, QFileInfo(aside).fileName());
    }
    return u"%1 cannot be used (%2) and could not be set aside; the defaults count now."_s.arg(
        file, why);
}

Result<QJsonObject> parseFile(const QByteArray &content)
{
    QJsonParseError parse;
    // A byte order mark comes from some editors.
    const QByteArray text = content.startsWith("\xef\xbb\xbf") ? content.sliced(3) : content;
    const QJsonDocument document = QJsonDocument::fromJson(text, &parse);
    if (parse.error != QJsonParseError::NoError) {
        const qsizetype line = text.first(qMin<qsizetype>(parse.offset, text.size())).count('\n');
        return failure(
            ErrorKind::Protocol, u"line %1: %2"_s.arg(line + 1).arg(parse.errorString()));
    }
    if (!document.isObject()) {
        return failure(ErrorKind::Protocol, u"the JSON text is not an object"_s);
    }
    return document.object();
}

Result<> checkIsObject(const QJsonObject &raw)
{
    const QJsonValue part = raw.value("sandbox"_L1);
    if (!part.isUndefined() && !part.isObject()) {
        return bad(inKey(u"sandbox"_s, u"must be an object, not "_s + shown(part)));
    }
    return {};
}

} // namespace

QJsonObject ExecutorSettings::toJson() const
{
    QJsonObject object { { kVersionKey, kSchemaVersion } };
    for (const Key &key : allKeys()) {
        insertAt(object, key.name, key.write(*this));
    }
    return object;
}

SettingsStore::SettingsStore(const QString &file, QObject *parent)
    : QObject(parent)
    , m_file(file)
{ }

QStringList SettingsStore::load()
{
    QStringList problems;
    QJsonObject raw;
    const Result<QByteArray> content = readFileLimited(m_file, kMaxFileBytes);
    if (content) {
        const Result<QJsonObject> parsed = parseFile(*content);
        if (parsed) {
            raw = *parsed;
        } else {
            problems.append(keepAside(m_file, parsed.error().message));
        }
    } else if (content.error().kind != ErrorKind::NotFound) {
        problems.append(keepAside(m_file, content.error().message));
    }

    const QString name = QFileInfo(m_file).fileName();
    ExecutorSettings loaded;
    const Result<> part = checkIsObject(raw);
    bool doubtful = !part;
    if (!part) {
        problems.append(u"%1: %2."_s.arg(name, part.error().message));
    }
    for (const Key &key : allKeys()) {
        const QJsonValue value = valueAt(raw, key.name);
        if (value.isUndefined()) {
            continue;
        }
        if (const Result<> read = key.read(value, loaded); !read) {
            problems.append(u"%1: %2."_s.arg(name, inKey(key.name, read.error().message)));
            doubtful = doubtful || key.name == "sandbox.secret_paths"_L1
                || key.name == "sandbox.denied_hosts"_L1;
        }
    }
    if (doubtful) {
        // The owner meant to hide or to deny something, and not all of it is understood.
        loaded.acceptTasks = false;
        problems.append(u"%1: no task is accepted until \"sandbox\" is corrected."_s.arg(name));
    }
    const QJsonValue roots = raw.value("allowed_roots"_L1);
    if (!roots.isUndefined() && roots != QJsonArray() && loaded.allowedRoots.isEmpty()) {
        // The owner meant to restrict; "empty" would mean anywhere.
        loaded.acceptTasks = false;
        problems.append(
            u"%1: no task is accepted until \"allowed_roots\" is corrected."_s.arg(name));
    }
    for (const QString &problem : makeConsistent(loaded)) {
        problems.append(u"%1: %2."_s.arg(name, problem));
    }
    const QJsonValue version = raw.value(kVersionKey);
    if (!version.isUndefined() && version.toInt() != kSchemaVersion) {
        problems.append(
            u"%1: \"version\" is %2, this program knows %3; only what it knows is used."_s
                .arg(name, shown(version))
                .arg(kSchemaVersion));
    }

    m_raw = raw;
    if (loaded != m_current) {
        m_current = loaded;
        Q_EMIT changed(m_current);
    }
    return problems;
}

ExecutorSettings SettingsStore::current() const
{
    return m_current;
}

Result<> SettingsStore::check(const ExecutorSettings &settings)
{
    ExecutorSettings scratch;
    for (const Key &key : allKeys()) {
        if (const Result<> read = key.read(key.write(settings), scratch); !read) {
            return bad(inKey(key.name, read.error().message));
        }
    }
    if (const QStringList problems = makeConsistent(scratch); !problems.isEmpty()) {
        return bad(problems.first());
    }
    return {};
}

Result<> SettingsStore::update(const ExecutorSettings &settings)
{
    if (const Result<> checked = check(settings); !checked) {
        return checked;
    }
    const QJsonObject before = m_raw;
    for (const Key &key : allKeys()) {
        const QJsonValue value = key.write(settings);
        const QJsonValue stored = valueAt(m_raw, key.name);
        ExecutorSettings scratch;
        const bool brokenWord
            = !stored.isUndefined() && !value.isArray() && !key.read(stored, scratch);
        if (value != key.write(m_current) || brokenWord) {
            insertAt(m_raw, key.name, value);
        }
    }
    if (!m_raw.contains(kVersionKey)) {
        m_raw.insert(kVersionKey, kSchemaVersion);
    }
    if (m_raw == before && settings == m_current) {
        return {};
    }
    const bool different = settings != m_current;
    m_current = settings;
    const Result<> written = writeFileAtomically(m_file, QJsonDocument(m_raw).toJson());
    if (different) {
        Q_EMIT changed(m_current);
    }
    if (!written) {
        return failure(ErrorKind::Io,
            u"the settings could not be saved (%1)"_s.arg(written.error().message),
            u"They stay until the program ends. Make room or the folder writable, then save "
            "again."_s);
    }
    return {};
}

Result<sandbox::OwnerPolicy> readOwnerPolicy(const QString &file)
{
    const auto unusable = [&file](const QString &why) {
        return failure(ErrorKind::Usage, u"%1: %2"_s.arg(QFileInfo(file).fileName(), why),
            u"Correct it in %1 or in the settings window."_s.arg(file));
    };
    const Result<QByteArray> content = readFileLimited(file, kMaxFileBytes);
    if (!content) {
        if (content.error().kind == ErrorKind::NotFound) {
            return sandbox::OwnerPolicy();
        }
        return unusable(content.error().message);
    }
    const Result<QJsonObject> raw = parseFile(*content);
    if (!raw) {
        return unusable(raw.error().message);
    }
    if (const Result<> part = checkIsObject(*raw); !part) {
        return unusable(part.error().message);
    }
    ExecutorSettings settings;
    for (const Key &key : sandboxKeys()) {
        const QJsonValue value = valueAt(*raw, key.name);
        if (value.isUndefined()) {
            continue;
        }
        if (const Result<> read = key.read(value, settings); !read) {
            return unusable(inKey(key.name, read.error().message));
        }
    }
    return settings.sandbox;
}

} // namespace deskhand::settings
