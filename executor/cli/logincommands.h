// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/clientcommand.h"

namespace deskhand::cli {

/// `login [--token-file FILE]`: the token comes from a file or standard input, never from the
/// command line, where others could read it.
class LoginCommand final : public ClientCommand
{
    Q_OBJECT
public:
    LoginCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    [[nodiscard]] Result<QString> readToken() const;
    QString m_token;
};

/// `logout`.
class LogoutCommand final : public ClientCommand
{
    Q_OBJECT
public:
    LogoutCommand(Invocation invocation, ExecutorHome home, Output &output);

protected:
    void run() override;
};

} // namespace deskhand::cli
