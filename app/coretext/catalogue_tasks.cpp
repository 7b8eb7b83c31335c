// SPDX-License-Identifier: Apache-2.0
#include "app/coretext/catalogue.h"

#include <QtGlobal>

namespace deskhand::app::coretext {
namespace {

using Kind = Sentence::Kind;

// Tasks, requests and what joins sentences.
constexpr Sentence kSentences[] = {
    { QT_TRANSLATE_NOOP("CoreText", "Stopped before it began.") },
    { QT_TRANSLATE_NOOP("CoreText", "Stopped by the user.") },
    { QT_TRANSLATE_NOOP("CoreText", "The server has ended this turn.") },
    { QT_TRANSLATE_NOOP("CoreText", "stopped by the owner") },
    { QT_TRANSLATE_NOOP("CoreText", "Deskhand was stopped") },
    { QT_TRANSLATE_NOOP("CoreText", "the prompt is empty") },
    { QT_TRANSLATE_NOOP("CoreText", "there is no task %1") },
    { QT_TRANSLATE_NOOP("CoreText", "Blocked by the sandbox: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "The program stopped while this turn was running.") },
    { QT_TRANSLATE_NOOP("CoreText", "The program stopped before this turn began.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 minutes") },
    { QT_TRANSLATE_NOOP("CoreText", "1 minute") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 seconds") },
    { QT_TRANSLATE_NOOP("CoreText", "allowed once") },
    { QT_TRANSLATE_NOOP("CoreText", "allowed for this task") },
    { QT_TRANSLATE_NOOP("CoreText", "there is no question \"%1\"") },
    { QT_TRANSLATE_NOOP("CoreText", "question \"%1\" has no answer") },
    { QT_TRANSLATE_NOOP("CoreText", "A command rule forbids \"%1\".") },
    { QT_TRANSLATE_NOOP("CoreText", "A command rule forbids it: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "Allowed for this task before.") },
    { QT_TRANSLATE_NOOP("CoreText", "No answer from the owner in %1."), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "The engine did not take the decision within 10 seconds.") },
    { QT_TRANSLATE_NOOP("CoreText", "The request was withdrawn: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "The decision could not be delivered: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "The request is already answered: %1 by %2."), "1 2" },
    { QT_TRANSLATE_NOOP("CoreText", "The request is no longer waiting: %1."), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "There is no request \"%1\".") },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" is not offered for this request") },
    { QT_TRANSLATE_NOOP("CoreText", "Offered: %1."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "%1 by %2"), "1! 2" },
    { QT_TRANSLATE_NOOP("CoreText", "command line") },
    { QT_TRANSLATE_NOOP("CoreText", "owner") },
    { QT_TRANSLATE_NOOP("CoreText", "rule") },
    { QT_TRANSLATE_NOOP("CoreText", "backend") },
    { QT_TRANSLATE_NOOP("CoreText", "time limit") },
    { QT_TRANSLATE_NOOP("CoreText", "It would make this program's own files writable (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It would open this program's own files (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It nests shells too deeply to be understood.") },
    { QT_TRANSLATE_NOOP("CoreText", "A task may not answer its own requests.") },
    { QT_TRANSLATE_NOOP("CoreText", "It reads the system's key store.") },
    { QT_TRANSLATE_NOOP("CoreText", "It changes a folder that holds this program's own files.") },
    { QT_TRANSLATE_NOOP("CoreText",
        "It deletes a root, home, current or parent folder with everything in it (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It deletes a folder that holds this program's own files.") },
    { QT_TRANSLATE_NOOP("CoreText", "It changes this program's own files (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It reads where this program keeps its secrets (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It would open a secret path of the owner (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It changes a secret path of the owner (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "It reads a secret path of the owner (%1).") },
    { QT_TRANSLATE_NOOP("CoreText", "The settings of this device deny the host %1.") },
    { QT_TRANSLATE_NOOP("CoreText", "The settings of this device allow the host %1.") },
    { QT_TRANSLATE_NOOP("CoreText", "The program is closing.") },
    { QT_TRANSLATE_NOOP("CoreText", "a command rule forbids it: %1"), "1" },
    { QT_TRANSLATE_NOOP(
        "CoreText", "it wants more than its profile gives, and nobody may be asked") },
    { QT_TRANSLATE_NOOP("CoreText", "the command was not allowed") },
    { QT_TRANSLATE_NOOP("CoreText", "The command was cancelled.") },
    { QT_TRANSLATE_NOOP("CoreText", "The command is over.") },
    { QT_TRANSLATE_NOOP("CoreText", "The command reached %1") },
    { QT_TRANSLATE_NOOP("CoreText", "The command was kept from %1 (%2)"), "1 2" },
    { QT_TRANSLATE_NOOP("CoreText", "%1 port %2") },
    { QT_TRANSLATE_NOOP("CoreText", "The engine stopped.") },
    { QT_TRANSLATE_NOOP("CoreText", "This device is stopping and takes no new tasks.") },
    { QT_TRANSLATE_NOOP("CoreText", "Turn %1 of task %2 was accepted before.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 turns are waiting already.") },
    { QT_TRANSLATE_NOOP("CoreText", "A newer message of the same task took its place.") },
    { QT_TRANSLATE_NOOP("CoreText", "Nothing of task %1 is active.") },
    { QT_TRANSLATE_NOOP("CoreText", "Turn %1 of task %2 is not active.") },
    { QT_TRANSLATE_NOOP("CoreText", "The device is stopping.") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "The task history does not answer; this turn starts a new conversation.") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "Permission level lowered from %1 to %2: this device allows no more.") },
    { QT_TRANSLATE_NOOP("CoreText", "This turn is being stopped or is over.") },
    { QT_TRANSLATE_NOOP("CoreText", "The turn is over.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 belongs to Deskhand itself; tasks cannot work there.") },
    { QT_TRANSLATE_NOOP("CoreText", "Choose another folder."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP(
        "CoreText", "%1 holds Deskhand's own folder %2, which a task must not change.") },
    { QT_TRANSLATE_NOOP("CoreText", "Choose a folder below it, or run the task with :read-only."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "The task has no id.") },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" is not a task id.") },
    { QT_TRANSLATE_NOOP("CoreText", "The turn of task %1 has no id.") },
    { QT_TRANSLATE_NOOP("CoreText", "The turn id of task %1 is too long.") },
    { QT_TRANSLATE_NOOP("CoreText", "The folder %1 cannot be created.") },
    { QT_TRANSLATE_NOOP("CoreText", "Check the permissions and the free space there."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "The folder \"%1\" is not an absolute path.") },
    { QT_TRANSLATE_NOOP("CoreText", "The folder %1 is outside the folders this device allows.") },
    { QT_TRANSLATE_NOOP("CoreText", "Add it to the allowed folders in the settings."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "The folder %1 does not exist.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is not a folder.") },
    { QT_TRANSLATE_NOOP("CoreText", "The folder %1 cannot be read.") },
    { QT_TRANSLATE_NOOP("CoreText", "Check its permissions."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "%1: %2"), "1 2!" },
    { QT_TRANSLATE_NOOP("CoreText", "%1. %2"), "1! 2!" },
    { QT_TRANSLATE_NOOP("CoreText", "%1; %2"), "1! 2!" },
};

} // namespace

std::span<const Sentence> taskSentences()
{
    return kSentences;
}

} // namespace deskhand::app::coretext
