// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/clientcommand.h"
#include "executor/engines/permission.h"

namespace deskhand::cli {

/// What is asked, in full, for a person who is about to decide. Several lines.
[[nodiscard]] QString describeRequest(const engines::PermissionRequest &request);
/// "--deny, --once, --task": the choices offered as options of `requests answer`.
[[nodiscard]] QString choiceOptions(const engines::PermissionRequest &request);

/// `requests list`.
class RequestsListCommand final : public ClientCommand
{
    Q_OBJECT
public:
    RequestsListCommand(Invocation invocation, ExecutorHome home, Output &output);

protected:
    void run() override;
};

/// `requests answer ID --once|--task|--deny`: ends when the engine has the decision.
class RequestsAnswerCommand final : public ClientCommand
{
    Q_OBJECT
public:
    RequestsAnswerCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    [[nodiscard]] Result<QJsonObject> readAnswer() const;
    QJsonObject m_params;
};

} // namespace deskhand::cli
