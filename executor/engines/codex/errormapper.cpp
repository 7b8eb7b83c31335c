// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/errormapper.h"

#include "executor/engines/codex/wire.h"

#include <QJsonDocument>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

struct Info
{
    QString name; ///< lower case, without underscores
    int status = 0;
};

// codexErrorInfo is a word or an object with one member, whose value may hold an HTTP status.
Info readInfo(const QJsonValue &value)
{
    Info info;
    if (value.isString()) {
        info.name = wire::kind(value.toString());
    } else if (const QJsonObject object = value.toObject(); !object.isEmpty()) {
        info.name = wire::kind(object.constBegin().key());
        const QJsonValue inner = object.constBegin().value();
        info.status = inner.isDouble()
            ? inner.toInt()
            : wire::member(
                inner.toObject(), { "httpStatusCode"_L1, "http_status_code"_L1, "status"_L1 })
                  .toInt();
    }
    return info;
}

// The body of an HTTP 400 arrives as a string inside the message; the provider's own sentence is
// what helps.
QString upstreamMessage(const QString &message)
{
    const qsizetype from = message.indexOf(u'{');
    const qsizetype to = message.lastIndexOf(u'}');
    if (from < 0 || to <= from) {
        return {};
    }
    const QJsonObject body
        = QJsonDocument::fromJson(message.mid(from, to - from + 1).toUtf8()).object();
    const QJsonValue error = body.value("error"_L1);
    if (error.isString()) {
        return error.toString();
    }
    const QString inner = wire::text(error.toObject(), { "message"_L1 });
    return inner.isEmpty() ? wire::text(body, { "message"_L1, "detail"_L1 }) : inner;
}

Info infoOf(const QJsonObject &error)
{
    return readInfo(wire::member(error, { "codexErrorInfo"_L1, "codex_error_info"_L1 }));
}

bool isAuthStatus(int status)
{
    return status == 401 || status == 403;
}

/// "api.example.com, HTTP 401: no such key"
QString inWords(const RouteFailure &route)
{
    return route.status == 200
        ? u"%1: %2"_s.arg(route.provider, route.message)
        : u"%1, HTTP %2: %3"_s.arg(route.provider, QString::number(route.status), route.message);
}

} // namespace

bool isAuthFailure(const QJsonObject &error)
{
    const Info info = infoOf(error);
    return info.name == "unauthorized"_L1 || isAuthStatus(info.status);
}

QString withoutRoute(const QString &message)
{
    static const QRegularExpression route(
        u"(, )?(url: )?https?://(127\\.0\\.0\\.1|localhost)(:\\d+)?/v1/codex-router[^\\s,)]*"_s);
    return QString(message).remove(route);
}

TurnError mapTurnError(
    const QJsonObject &error, bool ownAccount, const std::optional<RouteFailure> &route)
{
    if (route && route->code == "upstream_unreachable"_L1) {
        return { u"model_unreachable"_s,
            u"The model provider %1 could not be reached. Check the network, the proxy and the "
            "model's address. (%2)"_s.arg(route->provider, route->message) };
    }
    Info info = infoOf(error);
    if (route && route->status != 200) {
        info.status = route->status;
    }
    const QString raw = wire::text(error, { "message"_L1 });
    const QString details = route
        ? QString()
        : withoutRoute(wire::text(error, { "additionalDetails"_L1, "additional_details"_L1 }));
    const QString upstream = route ? inWords(*route) : upstreamMessage(raw);
    const QString said = !upstream.isEmpty() ? upstream
        : !raw.isEmpty()                     ? withoutRoute(raw)
                                             : u"The engine gave no reason."_s;
    const bool authFailed = info.name == "unauthorized"_L1 || isAuthStatus(info.status);
    if (info.name == "contextwindowexceeded"_L1) {
        return { u"model_context"_s,
            u"The conversation is too long for this model. Start a new task, or use a model "
            "with a larger context. (%1)"_s.arg(said) };
    }
    if (info.name == "usagelimitexceeded"_L1 || info.name == "sessionbudgetexceeded"_L1) {
        return { u"model_quota"_s,
            u"The model account has no quota left. Add credit or choose another model. (%1)"_s.arg(
                said) };
    }
    if (info.name == "serveroverloaded"_L1 || info.status == 503) {
        return { u"model_overloaded"_s,
            u"The model provider is overloaded. Try again in a few minutes. (%1)"_s.arg(said) };
    }
    if (info.status == 429 || info.name == "responsetoomanyfailedattempts"_L1) {
        return { u"model_rate_limited"_s,
            u"The model provider limits the number of requests. Try again later. (%1)"_s.arg(
                said) };
    }
    if (authFailed || raw.contains("Missing environment variable"_L1)) {
        return { u"model_auth"_s,
            (ownAccount ? u"The engine's own account is not signed in or was refused. Sign in "
                          "again, or set a model for this device. (%1)"_s
                        : u"The model provider refuses the key. Check the key of the model. "
                          "(%1)"_s)
                .arg(said) };
    }
    if (info.name == "internalservererror"_L1 || info.name == "httpconnectionfailed"_L1
        || info.status >= 500) {
        return { u"model_unavailable"_s,
            u"The model provider answers with an internal error. Try again later. (%1)"_s.arg(
                details.isEmpty() ? said : details) };
    }
    if (info.name == "sandboxerror"_L1) {
        return { u"engine_sandbox"_s, u"The engine's sandbox failed: %1"_s.arg(said) };
    }
    if (info.name == "cyberpolicy"_L1 || info.name == "contentfilter"_L1) {
        return { u"model_refused"_s, said };
    }
    if (raw.startsWith("Incomplete response returned"_L1)) {
        return { u"model_incomplete"_s, u"The model stopped before it was done: %1"_s.arg(said) };
    }
    if (raw.startsWith("stream disconnected"_L1) || info.name.startsWith("responsestream"_L1)
        || raw.contains("idle timeout"_L1)) {
        return { u"model_stream"_s,
            u"The connection to the model broke off and did not recover. Check the network or "
            "the model address. (%1)"_s.arg(details.isEmpty() ? said : details) };
    }
    if (info.name == "badrequest"_L1 || !upstream.isEmpty()) {
        return { u"model_bad_request"_s,
            u"The model provider refused the request: %1"_s.arg(said) };
    }
    return { u"runtime_error"_s, said };
}

} // namespace deskhand::engines::codex
