// SPDX-License-Identifier: Apache-2.0
#include "app/coretext/catalogue.h"

#include <QtGlobal>

namespace deskhand::app::coretext {
namespace {

using Kind = Sentence::Kind;

// The engine, its conversation and its process.
constexpr Sentence kSentences[] = {
    { QT_TRANSLATE_NOOP("CoreText", "the engine is being stopped") },
    { QT_TRANSLATE_NOOP("CoreText", "Look at the log, then try again in a minute."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "codex sent %1 unreadable lines in a row") },
    { QT_TRANSLATE_NOOP("CoreText", "codex did not complete the handshake: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "codex ended: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "codex ended while it was started from %1: %2"), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "codex ended while it was started from %1: %2. It said: %3"),
        "2 3?" },
    { QT_TRANSLATE_NOOP("CoreText", "codex has ended %1 times within a minute. The last time: %2"),
        "2" },
    { QT_TRANSLATE_NOOP("CoreText", "Run \"deskhand-executor doctor\" to see why."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is not an executable file") },
    { QT_TRANSLATE_NOOP("CoreText", "the setting of the engine program") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "%1 is a script that needs \"%2\", which is not on the PATH (%3)") },
    { QT_TRANSLATE_NOOP("CoreText", "Install %1, or set CODEX_BINARY_PATH to the native program."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "%1 names no usable program: %2"), "1 2" },
    { QT_TRANSLATE_NOOP("CoreText", "Correct %1 or remove it."), "1", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "npm folder %1") },
    { QT_TRANSLATE_NOOP("CoreText", "npm folders (%1)") },
    { QT_TRANSLATE_NOOP("CoreText", "PATH of the login shell") },
    { QT_TRANSLATE_NOOP("CoreText",
          "Install the missing program, or set CODEX_BINARY_PATH to the native codex program."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText",
        "the codex program was not found; looked at CODEX_BINARY_PATH and CODEX_BIN (not set), "
        "%1") },
    { QT_TRANSLATE_NOOP(
          "CoreText", "Install it with \"npm install -g @openai/codex\" or set CODEX_BINARY_PATH."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "Stopped by the owner's decision.") },
    { QT_TRANSLATE_NOOP("CoreText", "it did not stop in time") },
    { QT_TRANSLATE_NOOP("CoreText", "it was restarted by the owner") },
    { QT_TRANSLATE_NOOP("CoreText", "The engine is being stopped") },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" cannot be the name of an engine home") },
    { QT_TRANSLATE_NOOP("CoreText", "Use letters, digits, dots, dashes and underscores."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "The working directory %1 does not exist") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 cannot be seen behind the engine's wall") },
    { QT_TRANSLATE_NOOP("CoreText", "Move it to another place, or switch the engine's wall off."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the turn is over") },
    { QT_TRANSLATE_NOOP("CoreText", "the engine has exited") },
    { QT_TRANSLATE_NOOP("CoreText", "Deskhand is stopping.") },
    { QT_TRANSLATE_NOOP("CoreText", "the engine's folder %1 cannot be created") },
    { QT_TRANSLATE_NOOP(
          "CoreText", "Check the permissions and the free space of the folder above."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the engine's folder %1 is not writable") },
    { QT_TRANSLATE_NOOP("CoreText", "Check who owns it."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the engine's folder %1 cannot be locked") },
    { QT_TRANSLATE_NOOP("CoreText", "Check the permissions of the folder."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the engine's folder %1 is in use by %2 (process %3)") },
    { QT_TRANSLATE_NOOP("CoreText", "Stop that program first."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "writing the model's catalog") },
    { QT_TRANSLATE_NOOP("CoreText",
          "The model provider %1 could not be reached. Check the network, the proxy and the "
          "model's address. (%2)"),
        "2?" },
    { QT_TRANSLATE_NOOP("CoreText", "The engine gave no reason.") },
    { QT_TRANSLATE_NOOP("CoreText",
          "The conversation is too long for this model. Start a new task, or use a model with a "
          "larger context. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP("CoreText",
          "The model account has no quota left. Add credit or choose another model. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP(
          "CoreText", "The model provider is overloaded. Try again in a few minutes. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP(
          "CoreText", "The model provider limits the number of requests. Try again later. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP("CoreText",
          "The engine's own account is not signed in or was refused. Sign in again, or set a model "
          "for this device. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP(
          "CoreText", "The model provider refuses the key. Check the key of the model. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP(
          "CoreText", "The model provider answers with an internal error. Try again later. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "The engine's sandbox failed: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "The model stopped before it was done: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText",
          "The connection to the model broke off and did not recover. Check the network or the "
          "model address. (%1)"),
        "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "The model provider refused the request: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "%1, HTTP %2: %3"), "3!?", Kind::Proxy },
    { QT_TRANSLATE_NOOP("CoreText", "Change %1 files") },
    { QT_TRANSLATE_NOOP("CoreText", "Change %1") },
    { QT_TRANSLATE_NOOP("CoreText", "Conversation shortened to make room") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "The engine asked for something that is not supported (%1); it was told so.") },
    { QT_TRANSLATE_NOOP("CoreText",
        "A tool server asked for input of a kind that cannot be shown; it was declined.") },
    { QT_TRANSLATE_NOOP("CoreText", "There is no request %1.") },
    { QT_TRANSLATE_NOOP("CoreText", "Request %1 is closed: %2."), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "Request %1 is already answered.") },
    { QT_TRANSLATE_NOOP("CoreText", "Request %1 cannot be answered with \"%2\".") },
    { QT_TRANSLATE_NOOP("CoreText", "Request %1 is void: the engine has exited.") },
    { QT_TRANSLATE_NOOP("CoreText", "its answer was not confirmed by the engine") },
    { QT_TRANSLATE_NOOP("CoreText",
        "The engine has not confirmed the answer to request %1 within %2 seconds. Look at the task "
        "to see whether it went on.") },
    { QT_TRANSLATE_NOOP("CoreText", "the engine does not take the answer") },
    { QT_TRANSLATE_NOOP("CoreText", "The engine did not take the answer to request %1.") },
    { QT_TRANSLATE_NOOP("CoreText", "it was answered") },
    { QT_TRANSLATE_NOOP("CoreText", "Request %1 is void: %2."), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "the engine no longer waits for it") },
    { QT_TRANSLATE_NOOP("CoreText", "everything that matches %1") },
    { QT_TRANSLATE_NOOP("CoreText", "the whole file system") },
    { QT_TRANSLATE_NOOP("CoreText", "the system's basic folders") },
    { QT_TRANSLATE_NOOP("CoreText", "the work folders") },
    { QT_TRANSLATE_NOOP("CoreText", "the temporary folder") },
    { QT_TRANSLATE_NOOP("CoreText", "%1, below %2"), "1!" },
    { QT_TRANSLATE_NOOP("CoreText", "Read %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "Write to %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "No access to %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "Use the network") },
    { QT_TRANSLATE_NOOP("CoreText", "the model of the task has no model_id") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "the model proxy does not run, so the task's model cannot be used") },
    { QT_TRANSLATE_NOOP("CoreText",
        "This device has no model of its own and Codex is not signed in. Add a model "
        "(\"deskhand-executor models add\", or Settings, Models), or sign Codex in: "
        "CODEX_HOME=\"%1\" codex login") },
    { QT_TRANSLATE_NOOP("CoreText",
        "The turn before this one could not be stopped and may still run. Restart the engine, or "
        "start a new task.") },
    { QT_TRANSLATE_NOOP("CoreText", "codex opened a conversation without an id") },
    { QT_TRANSLATE_NOOP("CoreText",
        "codex opened the conversation with the model provider \"%1\", which is not the one of the "
        "task") },
    { QT_TRANSLATE_NOOP("CoreText",
        "codex %1 opened the conversation with more access (%2) than the task may have (%3). "
        "Install a newer version of codex.") },
    { QT_TRANSLATE_NOOP("CoreText",
        "The earlier conversation of this task is no longer stored here; a new one was begun.") },
    { QT_TRANSLATE_NOOP("CoreText",
        "Another program has this conversation open. Close it there, then try again.") },
    { QT_TRANSLATE_NOOP("CoreText", "codex could not open the conversation: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "codex did not take the prompt: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "The prompt could not be handed to codex: %1"), "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "The engine stopped the turn.") },
    { QT_TRANSLATE_NOOP(
          "CoreText", "The reason given with the decision did not reach the model: %1"),
        "1?" },
    { QT_TRANSLATE_NOOP("CoreText", "a turn could not be stopped") },
    { QT_TRANSLATE_NOOP("CoreText",
        "codex showed no sign of work within %1 seconds. The turn was stopped; nothing was sent "
        "again. Look at the model's address and the log, then try again.") },
    { QT_TRANSLATE_NOOP("CoreText",
          "The model could not be reached for more than %1 seconds: %2. Check the network, the "
          "proxy and the model's address."),
        "2?" },
    { QT_TRANSLATE_NOOP("CoreText", "codex does not answer any more") },
    { QT_TRANSLATE_NOOP("CoreText", "Still working; nothing was heard for a while.") },
    { QT_TRANSLATE_NOOP("CoreText", "Still working: %1") },
    { QT_TRANSLATE_NOOP("CoreText",
          "%1. The prompt was not sent again; what was done so far stays. Continue with a new "
          "turn."),
        "1" },
    { QT_TRANSLATE_NOOP("CoreText", "The engine switched to the model %1.") },
    { QT_TRANSLATE_NOOP("CoreText", "The conversation was shortened to make room.") },
    { QT_TRANSLATE_NOOP("CoreText",
        "The sandbox cannot start on this computer, so commands fail: %1. Requests to run them "
        "outside of it are declined in this turn. Allow unprivileged user namespaces, or give the "
        "task full access.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1: every entry must be a string"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "%1: every entry must be an object"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "not tried") },
    { QT_TRANSLATE_NOOP("CoreText", "the other side does not read; its queue is full") },
    { QT_TRANSLATE_NOOP("CoreText", "the connection is closed") },
    { QT_TRANSLATE_NOOP("CoreText", "no answer to %1 within %2 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "id must be a text or a number") },
    { QT_TRANSLATE_NOOP("CoreText", "params must be an object") },
    { QT_TRANSLATE_NOOP("CoreText", "refused without a reason") },
    { QT_TRANSLATE_NOOP("CoreText", "the connection was closed") },
    { QT_TRANSLATE_NOOP("CoreText", "it did not report ready within %1 ms") },
    { QT_TRANSLATE_NOOP("CoreText", "it ended with status %1 before it was ready") },
    { QT_TRANSLATE_NOOP("CoreText", "killed by signal %1") },
    { QT_TRANSLATE_NOOP("CoreText", "exit code %1") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 could not be started: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "Check that the file is a program for this computer."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "close other tasks or raise the limit of open files"), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "no terminal could be opened") },
    { QT_TRANSLATE_NOOP("CoreText", "no pipe could be made") },
    { QT_TRANSLATE_NOOP("CoreText", "no socket could be made") },
    { QT_TRANSLATE_NOOP("CoreText", "the child's descriptors could not be set up") },
};

} // namespace

std::span<const Sentence> engineSentences()
{
    return kSentences;
}

} // namespace deskhand::app::coretext
