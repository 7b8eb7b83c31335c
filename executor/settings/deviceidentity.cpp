// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/deviceidentity.h"

#include "executor/common/atomicfile.h"
#include "executor/common/ids.h"
#include "executor/common/jsonreader.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSysInfo>

using namespace Qt::StringLiterals;

namespace deskhand::settings {
namespace {

constexpr qint64 kMaxFileBytes = 1024 * 1024;
constexpr int kMaxIdentityChars = 100; // the backend's limit for ids and names, section 3.1
constexpr int kIdBytes = 12; // 24 hex digits
constexpr int kNameTailChars = 12;
constexpr qint64 kMaxSeconds = 24 * 60 * 60; // a day; larger ones are surely a mistake

/// What is in the file, and whether it may be written again.
struct FileContent
{
    QJsonObject object;
    bool writable = true;
};

QString environment(const char *name)
{
    return qEnvironmentVariable(name).trimmed();
}

/// First or last code points, so that a character outside the basic plane is never halved.
QString lastCharacters(const QString &text, int count)
{
    const QList<uint> points = text.toUcs4();
    const QList<uint> tail = points.mid(std::max<qsizetype>(0, points.size() - count));
    return QString::fromUcs4(reinterpret_cast<const char32_t *>(tail.constData()), tail.size());
}

QString firstCharacters(const QString &text, int count)
{
    const QList<uint> points = text.toUcs4();
    if (points.size() <= count) {
        return text;
    }
    return QString::fromUcs4(reinterpret_cast<const char32_t *>(points.constData()), count);
}

QString systemName()
{
#if defined(Q_OS_MACOS)
    return u"macOS"_s;
#elif defined(Q_OS_WIN)
    return u"Windows"_s;
#elif defined(Q_OS_LINUX)
    return u"Linux"_s;
#else
    return QSysInfo::kernelType();
#endif
}

/// Renames what cannot be understood; the sentence tells where it went.
QString keepAside(const QString &file, const QString &reason)
{
    const QString stamp = QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd-HHmmsszzz"_s);
    const QString aside = file + u".broken-"_s + stamp;
    if (QFile::rename(file, aside)) {
        return u"%1 could not be read (%2). It was kept as %3 and a new one was begun."_s.arg(
            file, reason, aside);
    }
    return u"%1 could not be read (%2) and could not be moved away. Repair or remove it."_s.arg(
        file, reason);
}

FileContent readContent(const QString &file, QStringList &problems)
{
    FileContent content;
    const Result<QByteArray> bytes = readFileLimited(file, kMaxFileBytes);
    if (!bytes) {
        if (bytes.error().kind == ErrorKind::NotFound) {
            return content;
        }
        if (bytes.error().kind == ErrorKind::Protocol) {
            problems.append(keepAside(file, bytes.error().message));
            content.writable = !QFileInfo::exists(file);
            return content;
        }
        // It exists and cannot be opened: leave it alone, it may be good.
        problems.append(
            u"%1. Defaults are used until it can be read."_s.arg(bytes.error().message));
        content.writable = false;
        return content;
    }
    const Result<QJsonObject> object = json::parseObject(*bytes);
    if (!object) {
        problems.append(keepAside(file, object.error().message));
        content.writable = !QFileInfo::exists(file);
        return content;
    }
    content.object = *object;
    return content;
}

/// A text value of the file, trimmed; another type is named and counts as absent.
QString textOf(const QJsonObject &object, const QString &key, QStringList &problems)
{
    const Result<std::optional<QString>> value = json::optionalString(object, key);
    if (!value) {
        problems.append(
            u"device-config.json: %1. The default is used."_s.arg(value.error().message));
        return {};
    }
    return value->value_or(QString()).trimmed();
}

QString oneOf(const QString &value, const QStringList &allowed, const QString &key,
    const QString &standard, QStringList &problems)
{
    if (value.isEmpty()) {
        return standard;
    }
    if (allowed.contains(value)) {
        return value;
    }
    problems.append(u"%1 \"%2\" is not one of %3; %4 is used."_s.arg(
        key, value, allowed.join(u", "_s), standard));
    return standard;
}

QString withinLimit(const QString &value, const QString &key, QStringList &problems)
{
    QString plain = value;
    plain.removeIf([](QChar c) { return c.category() == QChar::Other_Control; });
    if (plain.size() != value.size()) {
        problems.append(u"%1 has control characters; they are left out."_s.arg(key));
    }
    const QString cut = firstCharacters(plain, kMaxIdentityChars);
    if (cut.size() != plain.size()) {
        problems.append(u"%1 is longer than %2 characters; the rest is left out."_s.arg(key).arg(
            kMaxIdentityChars));
    }
    return cut;
}

void readSeconds(const char *name, std::chrono::milliseconds &target, QStringList &problems)
{
    const QString text = environment(name);
    if (text.isEmpty()) {
        return;
    }
    bool ok = false;
    const qint64 seconds = text.toLongLong(&ok);
    if (!ok || seconds <= 0 || seconds > kMaxSeconds) {
        problems.append(u"%1=\"%2\" is not a positive whole number of seconds (at most %3); "
                        "%4 s is used."_s.arg(QLatin1StringView(name), text)
                            .arg(kMaxSeconds)
                            .arg(target.count() / 1000));
        return;
    }
    target = std::chrono::seconds(seconds);
}

LinkTimes readTimes(QStringList &problems)
{
    LinkTimes times;
    readSeconds("LOCAL_HEARTBEAT_INTERVAL", times.heartbeatInterval, problems);
    readSeconds("LOCAL_HEARTBEAT_CALL_TIMEOUT", times.heartbeatLimit, problems);
    readSeconds("LOCAL_RECONNECT_DELAY", times.reconnectDelay, problems);
    readSeconds("LOCAL_RECONNECT_MAX_DELAY", times.reconnectMaxDelay, problems);
    if (times.reconnectMaxDelay < times.reconnectDelay) {
        times.reconnectMaxDelay = times.reconnectDelay;
    }
    return times;
}

Result<> writeContent(const QString &file, const QJsonObject &object)
{
    return writeFileAtomically(file, QJsonDocument(object).toJson(QJsonDocument::Indented));
}

void setDotted(QJsonObject &object, const QStringList &path, const QJsonValue &value)
{
    const QString &key = path.first();
    if (path.size() > 1) {
        QJsonObject inner = object.value(key).toObject();
        setDotted(inner, path.mid(1), value);
        object.insert(key, inner);
    } else if (value.isNull() || value.isUndefined()) {
        object.remove(key);
    } else {
        object.insert(key, value);
    }
}

} // namespace

QString cleanToken(const QString &token)
{
    const QString text = token.trimmed();
    constexpr qsizetype kWordLength = 6;
    if (text.size() > kWordLength && text.startsWith(u"bearer", Qt::CaseInsensitive)
        && text.at(kWordLength).isSpace()) {
        return text.mid(kWordLength).trimmed();
    }
    return text;
}

Result<DeviceConfig> loadDeviceConfig(const QString &file)
{
    if (file.isEmpty()) {
        return failure(ErrorKind::Usage, u"no device configuration file is named"_s);
    }
    DeviceConfig config;
    QStringList &problems = config.problems;
    FileContent content = readContent(file, problems);
    const QJsonObject &object = content.object;
    QJsonObject connection;
    if (const auto inner = json::optionalObject(object, u"connection")) {
        connection = inner->value_or(QJsonObject());
    } else {
        problems.append(u"device-config.json: %1. It is ignored."_s.arg(inner.error().message));
    }
    const auto merged
        = [&problems](const char *variable, const QJsonObject &from, const QString &key) {
              const QString value = environment(variable);
              return value.isEmpty() ? textOf(from, key, problems) : value;
          };

    config.backendUrl = merged("WEGENT_BACKEND_URL", connection, u"backend_url"_s);
    config.socketUrl = merged("WEGENT_SOCKET_URL", connection, u"socket_url"_s);
    config.authToken = cleanToken(merged("WEGENT_AUTH_TOKEN", connection, u"auth_token"_s));
    config.tokenFromEnvironment = !environment("WEGENT_AUTH_TOKEN").isEmpty();
    config.runtimeAuthToken = cleanToken(textOf(connection, u"runtime_auth_token"_s, problems));
    config.deviceType = oneOf(merged("DEVICE_TYPE", object, u"device_type"_s).toLower(),
        { u"local"_s, u"app"_s, u"cloud"_s, u"remote"_s }, u"device_type"_s, u"local"_s, problems);
    config.bindShell = oneOf(merged("BIND_SHELL", object, u"bind_shell"_s).toLower(),
        { u"claudecode"_s, u"openclaw"_s }, u"bind_shell"_s, u"claudecode"_s, problems);
    config.deviceId
        = withinLimit(merged("DEVICE_ID", object, u"device_id"_s), u"device_id"_s, problems);
    config.runtimeInstanceId
        = withinLimit(merged("WEGENT_RUNTIME_INSTANCE_ID", object, u"runtime_instance_id"_s),
            u"runtime_instance_id"_s, problems);
    config.deviceName
        = withinLimit(merged("DEVICE_NAME", object, u"device_name"_s), u"device_name"_s, problems);
    config.times = readTimes(problems);

    // Only what is generated here is saved; values of the environment stay out of the file.
    QJsonObject generated;
    if (config.deviceId.isEmpty()) {
        config.deviceId = u"device-"_s + randomHex(kIdBytes);
        generated.insert(u"device_id"_s, config.deviceId);
    }
    if (config.runtimeInstanceId.isEmpty()) {
        config.runtimeInstanceId = u"runtime-"_s + randomHex(kIdBytes);
        generated.insert(u"runtime_instance_id"_s, config.runtimeInstanceId);
    }
    if (config.deviceName.isEmpty()) {
        config.deviceName
            = systemName() + u"-Device-"_s + lastCharacters(config.deviceId, kNameTailChars);
        generated.insert(u"device_name"_s, config.deviceName);
    }
    if (generated.isEmpty()) {
        return config;
    }
    QJsonObject rewritten = object;
    for (auto it = generated.constBegin(); it != generated.constEnd(); ++it) {
        rewritten.insert(it.key(), it.value());
    }
    if (content.writable) {
        if (const Result<> written = writeContent(file, rewritten); !written) {
            problems.append(u"The device identity could not be saved (%1). It lasts until the "
                            "program ends."_s.arg(written.error().message));
        }
    }
    return config;
}

Result<> updateDeviceConfig(const QString &file, const QJsonObject &dottedKeys)
{
    QStringList problems;
    FileContent content = readContent(file, problems);
    if (!content.writable) {
        return failure(ErrorKind::Io, problems.value(0));
    }
    for (auto it = dottedKeys.constBegin(); it != dottedKeys.constEnd(); ++it) {
        const QStringList path = it.key().split(u'.');
        if (path.contains(QString())) {
            return failure(ErrorKind::Usage, u"\"%1\" is not a key"_s.arg(it.key()));
        }
        setDotted(content.object, path, it.value());
    }
    return writeContent(file, content.object);
}

} // namespace deskhand::settings
