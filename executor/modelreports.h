// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace deskhand::modelproxy {
class ModelProxy;
}
namespace deskhand::tasks {
class Journal;
class TaskManager;
} // namespace deskhand::tasks

namespace deskhand {

class ProxyRoutes;

/// Brings what the proxy tells of model requests to where it belongs: waits, warnings and failures
/// to the story of the task, usage to the journal, the latest failure to the task's route. All four
/// live on the executor thread; `tasks` is the first of them to go, and the connections with it.
void reportModels(modelproxy::ModelProxy &proxy, ProxyRoutes &routes, tasks::TaskManager &tasks,
    tasks::Journal &journal);

} // namespace deskhand
