// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/clientcommand.h"

namespace deskhand::cli {

/// `models list`.
class ModelsListCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsListCommand(Invocation invocation, ExecutorHome home, Output &output);

protected:
    void run() override;
};

/// `models test NAME`: exit status 0 only for a model that answers and calls tools.
class ModelsTestCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsTestCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    void show(const QJsonObject &report);
    qint64 m_limitMs = 0;
};

/// `models add [NAME]`: the key comes from a file or standard input, never from the command line,
/// where others could read it.
class ModelsAddCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsAddCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    QJsonObject m_params; ///< of models.add
};

/// `models default NAME|--none`.
class ModelsDefaultCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsDefaultCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    QString m_name; ///< empty: the engine's own account
};

/// `models key NAME [--key-file FILE]`.
class ModelsKeyCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsKeyCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    QString m_key;
};

/// `models remove NAME`.
class ModelsRemoveCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsRemoveCommand(Invocation invocation, ExecutorHome home, Output &output);

protected:
    void run() override;
};

/// `models usage [--days N]`.
class ModelsUsageCommand final : public ClientCommand
{
    Q_OBJECT
public:
    ModelsUsageCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    int m_days = 0;
};

} // namespace deskhand::cli
