// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/commandtable.h"

#include "executor/cli/doctorcommand.h"
#include "executor/cli/logincommands.h"
#include "executor/cli/logscommand.h"
#include "executor/cli/modelscommands.h"
#include "executor/cli/requestscommands.h"
#include "executor/cli/runcommand.h"
#include "executor/cli/statuscommands.h"
#include "executor/cli/taskcommand.h"
#include "executor/cli/taskscommands.h"
#include "executor/control/protocol.h"

#include <array>

namespace deskhand::cli {

using namespace Qt::StringLiterals;

namespace {

namespace method = control::method;

constexpr OptionSpec kJson { "json", nullptr, "print JSON for programs" };

constexpr std::array kJsonOnly { kJson };
constexpr std::array kRunOptions {
    OptionSpec { "drain-timeout", "SECONDS", "how long running tasks may take after SIGTERM (60)" },
    OptionSpec { "log-level", "LEVEL", "trace, debug, info, warn or error" },
};
constexpr std::array kTaskOptions {
    OptionSpec { "cwd", "FOLDER", "where the task works (this folder)" },
    OptionSpec { "profile", "NAME", "read-only, workspace or danger-full-access" },
    OptionSpec { "model", "NAME", "one of your models; see models list (the default one)" },
    OptionSpec { "timeout", "SECONDS", "stop the task after this time" },
    OptionSpec { "no-questions", nullptr, "deny what would be asked" },
    kJson,
};
constexpr std::array kAnswerOptions {
    OptionSpec { "once", nullptr, "allow exactly this" },
    OptionSpec { "task", nullptr, "allow the same again in this task" },
    OptionSpec { "deny", nullptr, "deny; the task goes on" },
    OptionSpec { "deny-and-stop", nullptr, "deny and stop the task" },
    OptionSpec { "answer", "QUESTION=TEXT", "answer to a question; may be repeated" },
    OptionSpec { "note", "TEXT", "a reason, passed on to the model" },
    kJson,
};
constexpr std::array kStatusOptions {
    OptionSpec { "wait", "online|idle", "wait until this is so" },
    OptionSpec { "timeout", "SECONDS", "how long to wait (60)" },
    kJson,
};
constexpr std::array kListOptions {
    OptionSpec { "active", nullptr, "only tasks that are not over" },
    OptionSpec { "limit", "N", "at most this many (100)" },
    kJson,
};
constexpr std::array kLogsOptions {
    OptionSpec { "follow", nullptr, "go on with what comes" },
    OptionSpec { "lines", "N", "how many of the past (200)" },
    OptionSpec { "level", "LEVEL", "this and worse: trace, debug, info, warn, error" },
    OptionSpec { "source", "NAME", "only this part of the program" },
    kJson,
};
constexpr std::array kLoginOptions {
    OptionSpec { "token-file", "FILE", "read the token from this file, not standard input" },
    kJson,
};
constexpr std::array kModelsTestOptions {
    OptionSpec { "timeout", "SECONDS", "how long it may take (180)" },
    kJson,
};
constexpr std::array kModelsAddOptions {
    OptionSpec { "provider", "PRESET", "deepseek, kimi, ollama, …: address and protocol from it" },
    OptionSpec { "base-url", "URL", "address of the provider's API" },
    OptionSpec { "model-id", "ID", "the provider's name of the model" },
    OptionSpec { "protocol", "WORD", "responses, chat or messages" },
    OptionSpec { "context-window", "TOKENS", "from 4000 to 2000000 (what is known of it)" },
    OptionSpec { "key-file", "FILE", "read the key from this file; - is standard input" },
    kJson,
};
constexpr std::array kModelsKeyOptions {
    OptionSpec { "key-file", "FILE", "read the key from this file; - is standard input (-)" },
    kJson,
};
constexpr std::array kModelsDefaultOptions {
    OptionSpec { "none", nullptr, "use the engine's own account" },
    kJson,
};
constexpr std::array kModelsUsageOptions {
    OptionSpec { "days", "N", "of the last N days (30)" },
    kJson,
};
constexpr std::array kPauseOptions {
    OptionSpec { "for", "TIME", "end the pause after this time: 90s, 15m, 1h, 2d" },
    kJson,
};
constexpr std::array kQuitOptions {
    OptionSpec { "drain", "SECONDS", "let running tasks take this long (0)" },
    kJson,
};

constexpr std::array kCommands {
    CommandSpec {
        "run", "", "Be a device, in the foreground; logs on standard error.", kRunOptions, 0, 0 },
    CommandSpec { "task", "PROMPT", "Run one task here; - reads the prompt from standard input.",
        kTaskOptions, 1, 1 },
    CommandSpec { "requests list", "", "What waits for your decision.", kJsonOnly, 0, 0 },
    CommandSpec { "requests answer", "ID", "Decide a request.", kAnswerOptions, 1, 1 },
    CommandSpec { "status", "", "Link, engine, sandbox, secrets, tasks.", kStatusOptions, 0, 0 },
    CommandSpec { "tasks list", "", "Tasks, newest first.", kListOptions, 0, 0 },
    CommandSpec { "tasks show", "ID", "The story of a task so far.", kJsonOnly, 1, 1 },
    CommandSpec { "tasks follow", "ID", "The story of a task until it is over.", kJsonOnly, 1, 1 },
    CommandSpec { "tasks stop", "ID", "Stop a task.", kJsonOnly, 1, 1 },
    CommandSpec { "models list", "", "Your own models.", kJsonOnly, 0, 0 },
    CommandSpec { "models test", "NAME", "Ask a model something and have it call a tool.",
        kModelsTestOptions, 1, 1 },
    CommandSpec { "models add", "[NAME]", "Add a model; its key never stands on the command line.",
        kModelsAddOptions, 0, 1 },
    CommandSpec { "models key", "NAME", "Put another key in the place of a model's key.",
        kModelsKeyOptions, 1, 1 },
    CommandSpec { "models remove", "NAME", "Remove a model and its key.", kJsonOnly, 1, 1 },
    CommandSpec { "models default", "[NAME]", "Choose the model of tasks that bring none.",
        kModelsDefaultOptions, 0, 1 },
    CommandSpec { "models usage", "", "Tokens by day and model.", kModelsUsageOptions, 0, 0 },
    CommandSpec { "logs", "", "What the program wrote down.", kLogsOptions, 0, 0 },
    CommandSpec {
        "doctor", "", "What is missing on this computer, and what to do.", kJsonOnly, 0, 0 },
    CommandSpec { "pause", "", "Take no new tasks.", kPauseOptions, 0, 0 },
    CommandSpec { "resume", "", "Take tasks again.", kJsonOnly, 0, 0 },
    CommandSpec { "reload", "", "Read the configuration files again.", kJsonOnly, 0, 0 },
    CommandSpec { "quit", "", "End the program that runs.", kQuitOptions, 0, 0 },
    CommandSpec {
        "sandbox", "...", "Run a command in the sandbox; see sandbox --help.", {}, 0, 0, true },
    CommandSpec { "proxy", "--config FILE",
        "Serve models by name on this computer, for other programs.", {}, 0, 0, true },
    CommandSpec { "login", "", "Store the sign-in token.", kLoginOptions, 0, 0 },
    CommandSpec { "logout", "", "Forget the sign-in token.", kJsonOnly, 0, 0 },
};

template <typename T>
std::unique_ptr<Command> make(
    const Invocation &invocation, const ExecutorHome &home, Output &output)
{
    return std::make_unique<T>(invocation, home, output);
}

template <TaskStoryCommand::Mode mode>
std::unique_ptr<Command> makeStory(
    const Invocation &invocation, const ExecutorHome &home, Output &output)
{
    return std::make_unique<TaskStoryCommand>(invocation, home, output, mode);
}

std::unique_ptr<Command> makeResume(
    const Invocation &invocation, const ExecutorHome &home, Output &output)
{
    return std::make_unique<SimpleCommand>(
        invocation, home, output, method::resume, QJsonObject(), u"Tasks are taken again."_s);
}

std::unique_ptr<Command> makeReload(
    const Invocation &invocation, const ExecutorHome &home, Output &output)
{
    return std::make_unique<SimpleCommand>(invocation, home, output, method::reload, QJsonObject(),
        u"The configuration is read again."_s);
}

struct Maker
{
    QLatin1StringView name;
    std::unique_ptr<Command> (*make)(const Invocation &, const ExecutorHome &, Output &);
};
constexpr std::array kMakers {
    Maker { QLatin1StringView("run"), &make<RunCommand> },
    Maker { QLatin1StringView("task"), &make<TaskCommand> },
    Maker { QLatin1StringView("requests list"), &make<RequestsListCommand> },
    Maker { QLatin1StringView("requests answer"), &make<RequestsAnswerCommand> },
    Maker { QLatin1StringView("status"), &make<StatusCommand> },
    Maker { QLatin1StringView("tasks list"), &make<TasksListCommand> },
    Maker { QLatin1StringView("tasks show"), &makeStory<TaskStoryCommand::Mode::Show> },
    Maker { QLatin1StringView("tasks follow"), &makeStory<TaskStoryCommand::Mode::Follow> },
    Maker { QLatin1StringView("tasks stop"), &make<TasksStopCommand> },
    Maker { QLatin1StringView("models list"), &make<ModelsListCommand> },
    Maker { QLatin1StringView("models test"), &make<ModelsTestCommand> },
    Maker { QLatin1StringView("models add"), &make<ModelsAddCommand> },
    Maker { QLatin1StringView("models key"), &make<ModelsKeyCommand> },
    Maker { QLatin1StringView("models remove"), &make<ModelsRemoveCommand> },
    Maker { QLatin1StringView("models default"), &make<ModelsDefaultCommand> },
    Maker { QLatin1StringView("models usage"), &make<ModelsUsageCommand> },
    Maker { QLatin1StringView("logs"), &make<LogsCommand> },
    Maker { QLatin1StringView("doctor"), &make<DoctorCommand> },
    Maker { QLatin1StringView("pause"), &make<PauseCommand> },
    Maker { QLatin1StringView("resume"), &makeResume },
    Maker { QLatin1StringView("reload"), &makeReload },
    Maker { QLatin1StringView("quit"), &make<QuitCommand> },
    Maker { QLatin1StringView("login"), &make<LoginCommand> },
    Maker { QLatin1StringView("logout"), &make<LogoutCommand> },
};

} // namespace

std::span<const CommandSpec> commandTable()
{
    return kCommands;
}

std::unique_ptr<Command> makeCommand(
    const Invocation &invocation, const ExecutorHome &home, Output &output)
{
    for (const Maker &maker : kMakers) {
        if (maker.name == QLatin1StringView(invocation.command->name)) {
            return maker.make(invocation, home, output);
        }
    }
    return {};
}

} // namespace deskhand::cli
