// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/newmodel.h"

#include "executor/modelproxy/presets.h"

#include <QHostAddress>
#include <QUrl>

#include <algorithm>

namespace deskhand::cli {
namespace {

using namespace Qt::StringLiterals;
using modelproxy::ProviderPreset;

constexpr qint64 kSmallestContext = 4'000; // tokens
constexpr qint64 kLargestContext = 2'000'000;

tl::unexpected<Error> usage(const QString &message, const QString &hint = {})
{
    return failure(ErrorKind::Usage, message, hint);
}

/// Loopback and private addresses, and names that only a private network resolves.
bool isPrivateHost(const QString &host)
{
    const QHostAddress address(host);
    if (address.isNull()) {
        return !host.contains(u'.') || host.endsWith(".local"_L1) || host.endsWith(".lan"_L1)
            || host.endsWith(".internal"_L1) || host.endsWith(".localhost"_L1);
    }
    // RFC 1918 for IPv4; QHostAddress knows the IPv6 ranges.
    return address.isLoopback() || address.isLinkLocal() || address.isUniqueLocalUnicast()
        || address.isInSubnet(QHostAddress(u"10.0.0.0"_s), 8)
        || address.isInSubnet(QHostAddress(u"172.16.0.0"_s), 12)
        || address.isInSubnet(QHostAddress(u"192.168.0.0"_s), 16);
}

bool isLoopbackHost(const QString &host)
{
    return host == "localhost"_L1 || QHostAddress(host).isLoopback();
}

Result<const ProviderPreset *> findPreset(const QString &id)
{
    QStringList known;
    for (const ProviderPreset &preset : modelproxy::providerPresets()) {
        if (preset.id == id) {
            return &preset;
        }
        known.append(preset.id);
    }
    return usage(u"--provider: \"%1\" is not one of %2"_s.arg(id, known.join(u", "_s)),
        u"For another one give --base-url and --protocol instead."_s);
}

Result<QString> readBaseUrl(const QString &given, QStringList &remarks)
{
    const QUrl url(given.trimmed(), QUrl::StrictMode);
    const QString scheme = url.scheme();
    if (!url.isValid() || url.host().isEmpty() || (scheme != "https"_L1 && scheme != "http"_L1)) {
        return usage(u"--base-url must be an http or https address"_s);
    }
    if (!url.userInfo().isEmpty() || url.hasQuery() || url.hasFragment()) {
        return usage(u"--base-url must hold no user name, password, ? or #"_s,
            u"Give the key with --key-file."_s);
    }
    if (scheme == "http"_L1 && !isPrivateHost(url.host())) {
        return usage(u"--base-url: without encryption only addresses of your own network are "
                     "allowed"_s,
            u"Use https."_s);
    }
    QString address = url.toString();
    while (address.endsWith(u'/')) {
        address.chop(1);
    }
    for (const QLatin1StringView ending :
        { "/chat/completions"_L1, "/responses"_L1, "/messages"_L1 }) {
        if (address.endsWith(ending)) {
            address.chop(ending.size());
            remarks.append(u"The address was shortened to %1."_s.arg(address));
            break;
        }
    }
    if (scheme == "http"_L1 && !isLoopbackHost(url.host())) {
        remarks.append(u"Not encrypted: others on this network can read along."_s);
    }
    return address;
}

Result<QString> readProtocol(const QString &given)
{
    const QString word = given == "chat"_L1 ? u"openai-chat-completions"_s : given;
    const auto format = modelproxy::wireFormatFromWord(word);
    if (!format) {
        return usage(
            u"--protocol must be responses, chat or messages, not \"%1\""_s.arg(given.left(100)));
    }
    return modelproxy::wireFormatName(*format);
}

} // namespace

Result<NewModel> readNewModel(const Invocation &invocation)
{
    NewModel model;
    const ProviderPreset *preset = nullptr;
    if (invocation.has("provider"_L1)) {
        const auto found = findPreset(invocation.value("provider"_L1));
        if (!found) {
            return tl::unexpected<Error>(found.error());
        }
        preset = *found;
    }
    QString address = invocation.value("base-url"_L1);
    if (address.isEmpty() && preset) {
        address = preset->baseUrl;
        if (address.contains(u'<')) {
            return usage(u"%1 needs --base-url, like %2"_s.arg(preset->name, preset->baseUrl));
        }
    }
    if (address.isEmpty()) {
        return usage(u"a model needs --provider, or --base-url and --protocol"_s);
    }
    const Result<QString> baseUrl = readBaseUrl(address, model.remarks);
    if (!baseUrl) {
        return tl::unexpected<Error>(baseUrl.error());
    }
    if (!preset && !invocation.has("protocol"_L1)) {
        return usage(u"a model without --provider needs --protocol: responses, chat or messages"_s);
    }
    const Result<QString> protocol = invocation.has("protocol"_L1)
        ? readProtocol(invocation.value("protocol"_L1))
        : Result<QString>(modelproxy::wireFormatName(preset->format));
    if (!protocol) {
        return tl::unexpected<Error>(protocol.error());
    }
    const QString modelId = invocation.value("model-id"_L1).trimmed();
    if (modelId.isEmpty()) {
        return usage(u"a model needs --model-id, the provider's name of it"_s,
            preset ? u"For example %1."_s.arg(preset->exampleModel) : QString());
    }
    model.values = { { u"base_url"_s, *baseUrl }, { u"api_format"_s, *protocol },
        { u"model_id"_s, modelId } };
    if (preset) {
        model.values.insert(u"family"_s, preset->family);
    }
    if (invocation.has("context-window"_L1)) {
        bool ok = false;
        const qint64 tokens = invocation.value("context-window"_L1).toLongLong(&ok);
        if (!ok || tokens < kSmallestContext || tokens > kLargestContext) {
            return usage(
                u"--context-window must be a number of tokens from %1 to %2"_s.arg(kSmallestContext)
                    .arg(kLargestContext));
        }
        model.values.insert(u"context_window"_s, tokens);
    }
    model.name = invocation.arguments.value(0).trimmed();
    if (model.name.isEmpty()) {
        model.name = (preset ? preset->id : QUrl(*baseUrl).host()) + u'/' + modelId;
    }
    model.needsKey = preset ? preset->needsKey : !isLoopbackHost(QUrl(*baseUrl).host());
    model.keyUrl = preset ? preset->keyUrl : QString();
    return model;
}

QString providerShown(const QString &family, const QString &baseUrl)
{
    const QList<ProviderPreset> &presets = modelproxy::providerPresets();
    const auto known
        = std::find_if(presets.begin(), presets.end(), [&](const ProviderPreset &preset) {
              return family.isEmpty() ? preset.baseUrl == baseUrl : preset.family == family;
          });
    return known != presets.end() ? known->name : QUrl(baseUrl).host();
}

} // namespace deskhand::cli
