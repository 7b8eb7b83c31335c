// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/modelproxy/proxyserver.h"

#include <QMap>
#include <QMutex>
#include <QObject>
#include <QStringList>

#include <memory>

namespace deskhand::modelproxy {

/// The models of a configuration file, `{"models":{"NAME":{…}}}`. Thread-safe; a reload replaces
/// all of them, running answers keep what they started with.
class ConfiguredModels final : public ModelDirectory
{
public:
    /// Reads the file; on an error nothing changes. The message names file, line and key.
    [[nodiscard]] Result<> load(const QString &file);

    [[nodiscard]] std::optional<RouteView> find(const std::string &model) const override;
    [[nodiscard]] QStringList names() const override;

private:
    mutable QMutex m_mutex; // guards m_models
    QMap<QString, RouteView> m_models;
};

/// The proxy as a program of its own: models by name, one bearer token. Owned by main.
class StandaloneProxy final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StandaloneProxy)

public:
    explicit StandaloneProxy(
        QString configFile, ProxyOptions options = {}, QObject *parent = nullptr);
    ~StandaloneProxy() override;

    [[nodiscard]] Result<> start();
    /// Reads the configuration again; with an error the former one stays.
    [[nodiscard]] Result<> reload();
    /// `{"base_url":"http://127.0.0.1:PORT/v1","token":"…"}`, one line.
    [[nodiscard]] QByteArray greeting() const;
    void requestStop() { m_proxy.requestStop(); }

Q_SIGNALS:
    void stopped();

private:
    QString m_configFile;
    ConfiguredModels m_models;
    ModelProxy m_proxy; // after m_models, which it reads until it is gone
};

/// `proxy --config FILE`: prints the greeting and serves until it is told to stop; reads the file
/// again on SIGHUP. Needs a QCoreApplication and runs its event loop. Returns the exit code: 0, or
/// 2 for wrong arguments or an unreadable configuration. `arguments` are those after "proxy".
[[nodiscard]] int runProxyCommand(const QStringList &arguments);

} // namespace deskhand::modelproxy
