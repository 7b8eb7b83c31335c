// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/executor.h"

#include <QObject>

namespace deskhand {

class ProxyRoutes;

/// The models the owner configured: settings and key store brought together, and the questions put
/// to their providers. Owned by the core, lives on the executor thread; what it uses outlives it.
class OwnModels final : public QObject
{
    Q_OBJECT
public:
    OwnModels(settings::SettingsStore &settings, modelproxy::ModelProxy &proxy, ProxyRoutes &routes,
        QObject *parent = nullptr);

    /// The store that holds the keys from now on; before any other call.
    void setSecrets(settings::SecretStore *secrets);

    /// The model with its key, ready for a turn. Usage: no such model, the message names the known
    /// ones. NotFound: its key is not in the store.
    void resolve(
        const QString &name, const std::function<void(const Result<engines::ModelConfig> &)> &done);

    void list(const std::function<void(const Result<QList<OwnModelState>> &)> &done);
    void add(const settings::OwnModel &model, const QString &key, const Executor::Done &done);
    void replaceKey(const QString &name, const QString &key, const Executor::Done &done);
    void remove(const QString &name, const Executor::Done &done);
    void setDefault(const QString &name, const Executor::Done &done);

    void listModels(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done);
    void testModel(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done);

private:
    [[nodiscard]] Result<settings::OwnModel> find(const QString &name) const;
    void store(const settings::OwnModel &model, const Executor::Done &done);
    void removeKey(const QString &keySecret, const Executor::Done &done);
    /// The values of the model with its key, given or stored.
    void withKey(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<QJsonObject> &)> &next);
    void withUpstream(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<modelproxy::Upstream> &)> &next);

    settings::SettingsStore &m_settings;
    modelproxy::ModelProxy &m_proxy;
    ProxyRoutes &m_routes;
    settings::SecretStore *m_secrets = nullptr;
};

} // namespace deskhand
