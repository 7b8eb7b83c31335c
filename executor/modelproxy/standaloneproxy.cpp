// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/standaloneproxy.h"

#include "executor/common/atomicfile.h"
#include "executor/logging/log.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/json.h"
#include "executor/modelproxy/stopsignals.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QMutexLocker>
#include <QRegularExpression>

#include <algorithm>
#include <cstdio>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr qint64 kMaxConfig = qint64(4) * 1024 * 1024;
constexpr int kUsageExit = 2;

qsizetype lineAt(const QByteArray &text, qsizetype offset)
{
    return text.left(offset).count('\n') + 1;
}

/// The members of an object within a text, none of another value; positions are those of the text.
std::vector<TopLevelMember> membersOf(std::string_view text, const TopLevelMember &object)
{
    if (object.valueBegin >= text.size() || text[object.valueBegin] != '{') {
        return {};
    }
    std::vector<TopLevelMember> members
        = topLevelMembers(text.substr(object.valueBegin, object.valueEnd - object.valueBegin));
    for (TopLevelMember &member : members) {
        member.keyBegin += object.valueBegin;
        member.valueBegin += object.valueBegin;
        member.valueEnd += object.valueBegin;
    }
    return members;
}

std::optional<TopLevelMember> memberOf(
    std::string_view text, const TopLevelMember &object, const std::string &key)
{
    const std::vector<TopLevelMember> members = membersOf(text, object);
    const auto found = std::find_if(members.rbegin(), members.rend(), // the last one counts
        [&key](const TopLevelMember &candidate) { return candidate.key == key; });
    return found != members.rend() ? std::optional<TopLevelMember>(*found) : std::nullopt;
}

/// Line of what `path` leads to, as far as it leads. Its last key may also stand one level deeper:
/// an error of a model's profile names only the key.
qsizetype lineOfPath(const QByteArray &file, const QStringList &path)
{
    const std::string_view text(file.constData(), static_cast<size_t>(file.size()));
    TopLevelMember place;
    place.valueEnd = text.size();
    place.valueBegin = std::min(text.find('{'), text.size());
    for (const QString &name : path) {
        const std::string key = name.toStdString();
        std::optional<TopLevelMember> next = memberOf(text, place, key);
        if (&name == &path.last()) {
            for (const TopLevelMember &child : membersOf(text, place)) {
                next = next ? next : memberOf(text, child, key);
            }
        }
        if (!next) {
            break;
        }
        place = *next;
    }
    return lineAt(file, static_cast<qsizetype>(place.keyBegin));
}

/// The key that an error of the reader puts in quotes first; "a.b" means b within a.
QString keyIn(const QString &message)
{
    static const QRegularExpression quoted(u"\"([^\"]+)\""_s);
    return quoted.match(message).captured(1).section(u'.', -1);
}

Error located(const QString &file, qsizetype line, const QString &message)
{
    return { ErrorKind::Usage, u"%1:%2: %3"_s.arg(file).arg(line).arg(message) };
}

void say(FILE *stream, const QByteArray &text)
{
    std::fwrite(text.constData(), 1, static_cast<size_t>(text.size()), stream);
    std::fflush(stream);
}

void complain(const Error &error)
{
    say(stderr, logging::maskSecrets(error.message).toUtf8() + '\n');
}

} // namespace

Result<> ConfiguredModels::load(const QString &file)
{
    const Result<QByteArray> text = readFileLimited(file, kMaxConfig);
    if (!text) {
        return tl::unexpected(located(file, 1, text.error().message));
    }
    QJsonParseError parsed {};
    const QJsonDocument document = QJsonDocument::fromJson(*text, &parsed);
    if (parsed.error != QJsonParseError::NoError) {
        return tl::unexpected(located(file, lineAt(*text, parsed.offset), parsed.errorString()));
    }
    const QJsonValue models = document.object().value("models"_L1);
    if (!models.isObject()) {
        return tl::unexpected(located(file, lineOfPath(*text, { u"models"_s }),
            u"\"models\" must be an object of models by name"_s));
    }
    QMap<QString, RouteView> loaded;
    const QJsonObject map = models.toObject();
    for (auto it = map.begin(); it != map.end(); ++it) {
        const auto fault = [&](const QString &message) {
            return tl::unexpected(
                located(file, lineOfPath(*text, { u"models"_s, it.key(), keyIn(message) }),
                    u"model \"%1\": %2"_s.arg(it.key(), message)));
        };
        if (!it.value().isObject()) {
            return fault(u"must be an object"_s);
        }
        const Result<Upstream> upstream = Upstream::fromJson(it.value().toObject());
        if (!upstream) {
            return fault(upstream.error().message);
        }
        Result<ProviderProfile> profile = ProviderProfile::resolve(*upstream);
        if (!profile) {
            return fault(profile.error().message);
        }
        upstream->hideSecrets();
        RouteView view;
        view.scope = it.key();
        view.upstream = std::make_shared<const Upstream>(*upstream);
        view.profile = std::make_shared<const ProviderProfile>(std::move(*profile));
        view.memory = std::make_shared<RouteMemory>();
        loaded.insert(it.key(), view);
    }
    const QMutexLocker lock(&m_mutex);
    for (auto it = loaded.begin(); it != loaded.end(); ++it) {
        if (const auto former = m_models.constFind(it.key()); former != m_models.constEnd()) {
            it->memory = former->memory;
        }
    }
    m_models = std::move(loaded);
    return {};
}

std::optional<RouteView> ConfiguredModels::find(const std::string &model) const
{
    const QMutexLocker lock(&m_mutex);
    const auto found = m_models.constFind(QString::fromStdString(model));
    return found != m_models.constEnd() ? std::optional<RouteView>(*found) : std::nullopt;
}

QStringList ConfiguredModels::names() const
{
    const QMutexLocker lock(&m_mutex);
    return m_models.keys();
}

StandaloneProxy::StandaloneProxy(QString configFile, ProxyOptions options, QObject *parent)
    : QObject(parent)
    , m_configFile(std::move(configFile))
    , m_proxy(std::move(options))
{
    m_proxy.setDirectory(&m_models);
    connect(&m_proxy, &ModelProxy::stopped, this, &StandaloneProxy::stopped);
}

StandaloneProxy::~StandaloneProxy() = default;

Result<> StandaloneProxy::start()
{
    return m_models.load(m_configFile).and_then([this] { return m_proxy.start(); });
}

Result<> StandaloneProxy::reload()
{
    return m_models.load(m_configFile);
}

QByteArray StandaloneProxy::greeting() const
{
    return "{\"base_url\":\"http://127.0.0.1:" + QByteArray::number(m_proxy.port())
        + "/v1\",\"token\":\"" + m_proxy.bearerKey().toLatin1() + "\"}\n";
}

int runProxyCommand(const QStringList &arguments)
{
    const auto usage = "usage: deskhand-executor proxy --config FILE\n";
    if (arguments == QStringList { u"--help"_s }) {
        say(stdout, usage);
        return 0;
    }
    if (arguments.size() != 2 || arguments.at(0) != "--config"_L1) {
        say(stderr, usage);
        return kUsageExit;
    }
    StandaloneProxy proxy(arguments.at(1));
    if (const Result<> started = proxy.start(); !started) {
        complain(started.error());
        return started.error().kind == ErrorKind::Usage ? kUsageExit : 1;
    }
    StopSignals signals;
    QObject::connect(&signals, &StopSignals::hangup, &proxy, [&proxy] {
        if (const Result<> reloaded = proxy.reload(); !reloaded) {
            complain(reloaded.error().within(u"the configuration stays as it was"_s));
        }
    });
    QObject::connect(&signals, &StopSignals::stop, &proxy, [&proxy] { proxy.requestStop(); });
    QObject::connect(&proxy, &StandaloneProxy::stopped, qApp, [] { QCoreApplication::exit(0); });
    say(stdout, proxy.greeting());
    return QCoreApplication::exec();
}

} // namespace deskhand::modelproxy
