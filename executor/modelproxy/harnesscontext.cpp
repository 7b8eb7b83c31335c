// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/harnesscontext.h"

#include "executor/common/ids.h"
#include "executor/common/jsonreader.h"

#include <QMutexLocker>

#include <initializer_list>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr int kTokenBytes = 32;

/// Only scalars: an unknown or nested value could carry anything.
QJsonObject onlyScalars(const QJsonObject &object, std::initializer_list<const char *> keys)
{
    QJsonObject kept;
    for (const char *key : keys) {
        const QJsonValue value = object.value(QLatin1StringView(key));
        if (value.isString() || value.isDouble()) {
            kept.insert(QLatin1StringView(key), value);
        }
    }
    return kept;
}

} // namespace

HarnessContexts::HarnessContexts(std::chrono::milliseconds life)
    : m_life(life)
{ }

Result<QString> HarnessContexts::add(const QJsonObject &payload)
{
    const Result<QString> scope = json::requireString(payload, u"scope");
    if (!scope) {
        return tl::unexpected(scope.error());
    }
    if (scope->trimmed().isEmpty()) {
        return failure(ErrorKind::Usage, u"\"scope\" must not be blank"_s);
    }
    const Result<QJsonObject> user = json::requireObject(payload, u"user");
    const Result<QJsonObject> model = json::requireObject(payload, u"model");
    if (!user || !model) {
        return tl::unexpected((!user ? user : model).error());
    }
    Entry entry;
    entry.scope = *scope;
    entry.user = onlyScalars(*user, { "id", "userName", "displayName", "email", "mode" });
    entry.model = onlyScalars(*model,
        { "runtimeModelId", "displayName", "modelType", "namespace", "contextWindow",
            "maxOutputTokens" });
    QJsonObject capabilities;
    const QJsonObject named = model->value("capabilities"_L1).toObject();
    for (auto it = named.begin(); it != named.end(); ++it) {
        if (it.value().isBool()) {
            capabilities.insert(it.key(), it.value());
        }
    }
    entry.model.insert("capabilities"_L1, capabilities);
    entry.until = std::chrono::steady_clock::now() + m_life;

    const QString token = randomHex(kTokenBytes);
    const QMutexLocker lock(&m_mutex);
    m_entries.removeIf(
        [now = std::chrono::steady_clock::now()](const auto &old) { return old->until <= now; });
    m_entries.insert(token, entry);
    return token;
}

void HarnessContexts::revoke(const QString &token)
{
    const QMutexLocker lock(&m_mutex);
    m_entries.remove(token);
}

std::optional<QJsonObject> HarnessContexts::read(
    const QByteArray &token, const QByteArray &what) const
{
    const QMutexLocker lock(&m_mutex);
    const Entry *found = nullptr;
    for (auto it = m_entries.begin(); it != m_entries.end(); ++it) {
        if (equalConstantTime(it.key().toLatin1(), token)) {
            found = &*it;
        }
    }
    if (found == nullptr || found->until <= std::chrono::steady_clock::now()) {
        return std::nullopt;
    }
    if (what == "user") {
        return found->user;
    }
    if (what == "model") {
        return found->model;
    }
    return QJsonObject { { "status"_L1, "active"_L1 }, { "scope"_L1, found->scope } };
}

} // namespace deskhand::modelproxy
