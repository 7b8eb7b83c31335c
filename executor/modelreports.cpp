// SPDX-License-Identifier: Apache-2.0
#include "executor/modelreports.h"

#include "executor/modelproxy/modelproxy.h"
#include "executor/proxyroutes.h"
#include "executor/tasks/journal.h"
#include "executor/tasks/taskmanager.h"

namespace deskhand {

using namespace Qt::StringLiterals;

void reportModels(modelproxy::ModelProxy &proxy, ProxyRoutes &routes, tasks::TaskManager &tasks,
    tasks::Journal &journal)
{
    QObject::connect(&proxy, &modelproxy::ModelProxy::usageReported, &tasks,
        [&](const modelproxy::UsageReport &report) {
            engines::Usage usage;
            usage.inputTokens = report.inputTokens;
            usage.cachedInputTokens = report.cachedTokens;
            usage.outputTokens = report.outputTokens;
            usage.totalTokens = report.inputTokens + report.outputTokens;
            routes.requestAnswered(report.scope);
            journal.addUsage(report.time.toUTC().date(), report.model, usage);
        });
    // A route's scope is the task's id.
    QObject::connect(&proxy, &modelproxy::ModelProxy::retryWaiting, &tasks,
        [&](const modelproxy::RetryNotice &wait) {
            tasks.note(wait.scope,
                engines::RetryNotice {
                    u"The model provider is asked again in %1 s (attempt %2 of %3)"_s
                        .arg(static_cast<double>(wait.delay.count()) / 1000.0, 0, 'f', 1)
                        .arg(wait.attempt)
                        .arg(wait.maxAttempts),
                    wait.reason });
        });
    QObject::connect(&proxy, &modelproxy::ModelProxy::contextWarned, &tasks,
        [&](const modelproxy::ContextWarning &warning) {
            tasks.note(warning.scope,
                engines::StatusNote {
                    engines::StatusNote::Level::Warning, u"context_window"_s, warning.message });
        });
    // The engine learns of it, too; this keeps the provider's own words with the task.
    QObject::connect(&proxy, &modelproxy::ModelProxy::upstreamFailed, &tasks,
        [&](const modelproxy::UpstreamFailure &failed) {
            routes.requestFailed(failed);
            const QString code = failed.code.isEmpty() ? QString() : u", "_s + failed.code;
            tasks.note(failed.scope,
                engines::StatusNote { engines::StatusNote::Level::Info, u"model_failed"_s,
                    u"The model provider failed (HTTP %1%2): %3"_s.arg(
                        QString::number(failed.status), code, failed.message) });
        });
}

} // namespace deskhand
