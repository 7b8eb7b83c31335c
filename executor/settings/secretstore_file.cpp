// SPDX-License-Identifier: Apache-2.0
#include "executor/common/atomicfile.h"
#include "executor/common/jsonreader.h"
#include "executor/settings/secretstore_p.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonDocument>

namespace deskhand::settings {
namespace {

using namespace Qt::StringLiterals;

constexpr qint64 kMaxFileBytes = 8 * 1024 * 1024;
constexpr QLatin1StringView kVersionKey("version");
constexpr QLatin1StringView kSecretsKey("secrets");

/// Secrets in one JSON file of mode 0600. Reads it on every call, so a change by another program
/// is seen; the file is small and local.
class FileStore final : public SecretStore
{
public:
    explicit FileStore(const QString &file)
        : m_file(file)
    { }

    void read(
        const QString &name, const std::function<void(const Result<QString> &)> &done) override
    {
        Result<QString> outcome = checkSecret(name).and_then([this, &name] {
            return load().map([&name](const QJsonObject &all) {
                return all.value(kSecretsKey).toObject().value(name).toString();
            });
        });
        answer(done, std::move(outcome));
    }

    void write(const QString &name, const QString &value,
        const std::function<void(const Result<> &)> &done) override
    {
        answer(done, checkSecret(name, value).and_then([&, this] { return change(name, value); }));
    }

    void remove(const QString &name, const std::function<void(const Result<> &)> &done) override
    {
        answer(done, checkSecret(name).and_then([&, this] { return change(name, {}); }));
    }

    [[nodiscard]] SecretsState state() const override { return m_state; }
    [[nodiscard]] QString place() const override { return u"a file only you can read"_s; }

private:
    template <typename Outcome>
    void answer(const std::function<void(const Outcome &)> &done, Outcome outcome)
    {
        // Locked: the secrets may be there, but cannot be read.
        const bool unreadable = !outcome && outcome.error().kind == ErrorKind::Io;
        const SecretsState state = unreadable ? SecretsState::Locked : SecretsState::Ready;
        const bool different = state != m_state;
        m_state = state;
        // Queued, so that a caller is never called back from inside its own call.
        QMetaObject::invokeMethod(
            this,
            [this, done, different, outcome = std::move(outcome)] {
                if (different) {
                    Q_EMIT stateChanged(m_state);
                }
                if (done) {
                    done(outcome);
                }
            },
            Qt::QueuedConnection);
    }

    Result<QJsonObject> load()
    {
        const Result<QByteArray> content = readFileLimited(m_file, kMaxFileBytes);
        if (!content) {
            if (content.error().kind == ErrorKind::NotFound) {
                return QJsonObject();
            }
            return failure(ErrorKind::Io, content.error().message);
        }
        // Somebody may have copied the file with looser permissions.
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup
            | QFile::ReadOther | QFile::WriteOther | QFile::ExeOther;
        if ((QFile::permissions(m_file) & others) != QFile::Permissions()) {
            QFile::setPermissions(m_file, QFile::ReadOwner | QFile::WriteOwner);
        }
        const Result<QJsonObject> parsed = json::parseObject(*content);
        if (!parsed) {
            return keepAside(parsed.error().message);
        }
        return *parsed;
    }

    Result<QJsonObject> keepAside(const QString &why)
    {
        const QString stamp = QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd'T'HHmmsszzz"_s);
        const QString aside = m_file + u".broken-"_s + stamp;
        if (!QFile::rename(m_file, aside)) {
            return failure(ErrorKind::Io, u"%1 cannot be used (%2)"_s.arg(m_file, why));
        }
        QFile::setPermissions(aside, QFile::ReadOwner | QFile::WriteOwner);
        return failure(ErrorKind::Io,
            u"%1 cannot be used (%2); it was kept as %3"_s.arg(
                m_file, why, QFileInfo(aside).fileName()),
            u"Sign in again."_s);
    }

    /// An empty value removes the secret.
    Result<> change(const QString &name, const QString &value)
    {
        Result<QJsonObject> all = load();
        if (!all) {
            all = load(); // a broken file has been set aside, so a new one can begin
        }
        if (!all) {
            return tl::unexpected<Error>(all.error());
        }
        QJsonObject secrets = all->value(kSecretsKey).toObject();
        if (value.isEmpty()) {
            if (!secrets.contains(name)) {
                return {};
            }
            secrets.remove(name);
        } else {
            secrets.insert(name, value);
        }
        all->insert(kVersionKey, 1);
        all->insert(kSecretsKey, secrets);
        return writeFileAtomically(m_file, QJsonDocument(*all).toJson());
    }

    QString m_file;
    SecretsState m_state = SecretsState::Ready;
};

/// Secrets that end with the program.
class SessionStore final : public SecretStore
{
public:
    void read(
        const QString &name, const std::function<void(const Result<QString> &)> &done) override
    {
        answer(done, checkSecret(name).map([this, &name] { return m_secrets.value(name); }));
    }

    void write(const QString &name, const QString &value,
        const std::function<void(const Result<> &)> &done) override
    {
        answer(done, checkSecret(name, value).map([&, this] { m_secrets.insert(name, value); }));
    }

    void remove(const QString &name, const std::function<void(const Result<> &)> &done) override
    {
        answer(done, checkSecret(name).map([this, &name] { m_secrets.remove(name); }));
    }

    [[nodiscard]] SecretsState state() const override { return SecretsState::SessionOnly; }
    [[nodiscard]] QString place() const override { return u"this session only"_s; }

private:
    template <typename Outcome>
    void answer(const std::function<void(const Outcome &)> &done, Outcome outcome)
    {
        if (done) {
            QMetaObject::invokeMethod(
                this, [done, outcome = std::move(outcome)] { done(outcome); },
                Qt::QueuedConnection);
        }
    }

    QHash<QString, QString> m_secrets;
};

} // namespace

std::unique_ptr<SecretStore> makeFileStore(const QString &file)
{
    return std::make_unique<FileStore>(file);
}

std::unique_ptr<SecretStore> makeSessionStore()
{
    return std::make_unique<SessionStore>();
}

} // namespace deskhand::settings
