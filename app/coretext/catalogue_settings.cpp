// SPDX-License-Identifier: Apache-2.0
#include "app/coretext/catalogue.h"

#include <QtGlobal>

namespace deskhand::app::coretext {
namespace {

using Kind = Sentence::Kind;

// Settings, files, secrets and the history.
constexpr Sentence kSentences[] = {
    { QT_TRANSLATE_NOOP("CoreText", "cannot create the folder %1") },
    { QT_TRANSLATE_NOOP("CoreText", "cannot write %1: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "cannot restrict %1 to its owner: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 does not exist") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is not a regular file") },
    { QT_TRANSLATE_NOOP("CoreText", "cannot read %1: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is larger than %2 bytes") },
    { QT_TRANSLATE_NOOP("CoreText", "an array") },
    { QT_TRANSLATE_NOOP("CoreText", "an object") },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" must be %2, not %3"), "2! 3!" },
    { QT_TRANSLATE_NOOP("CoreText", "null") },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" is missing") },
    { QT_TRANSLATE_NOOP("CoreText", "a whole number") },
    { QT_TRANSLATE_NOOP("CoreText", "true or false") },
    { QT_TRANSLATE_NOOP("CoreText", "not JSON at byte %1: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "the JSON text is not an object") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is not a folder that belongs to you alone") },
    { QT_TRANSLATE_NOOP("CoreText", "Remove it, or set XDG_RUNTIME_DIR to a private folder."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "cannot create %1: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "no path short enough for the control socket of %1") },
    { QT_TRANSLATE_NOOP("CoreText", "another program") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is already running for %2"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is already running for %2 (pid %3)"), "1" },
    { QT_TRANSLATE_NOOP("CoreText",
          "Use the one that runs, quit it first, or set WEGENT_EXECUTOR_HOME to another folder."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText",
          "Make the folder writable for you, or set WEGENT_EXECUTOR_HOME to one that is."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is not a folder") },
    { QT_TRANSLATE_NOOP("CoreText", "cannot take the lock %1: %2") },
    { QT_TRANSLATE_NOOP("CoreText", "Deskhand is not running") },
    { QT_TRANSLATE_NOOP("CoreText", "the sign-in token is fixed by WEGENT_AUTH_TOKEN") },
    { QT_TRANSLATE_NOOP("CoreText", "Change or unset that variable and start again."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "this program has no key store") },
    { QT_TRANSLATE_NOOP("CoreText", "the secrets were moved, but %1 cannot be removed") },
    { QT_TRANSLATE_NOOP("CoreText", "Remove it by hand; the next start would use it."), "",
        Kind::Hint },
    { QT_TRANSLATE_NOOP(
          "CoreText", "%1 could not be read (%2). It was kept as %3 and a new one was begun."),
        "2" },
    { QT_TRANSLATE_NOOP("CoreText",
          "%1 could not be read (%2) and could not be moved away. Repair or remove it."),
        "2" },
    { QT_TRANSLATE_NOOP("CoreText", "%1. Defaults are used until it can be read."), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "device-config.json: %1. The default is used."), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "%1 \"%2\" is not one of %3; %4 is used.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 has control characters; they are left out.") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 is longer than %2 characters; the rest is left out.") },
    { QT_TRANSLATE_NOOP("CoreText",
        "%1=\"%2\" is not a positive whole number of seconds (at most %3); %4 s is used.") },
    { QT_TRANSLATE_NOOP("CoreText", "no device configuration file is named") },
    { QT_TRANSLATE_NOOP("CoreText", "device-config.json: %1. It is ignored."), "1" },
    { QT_TRANSLATE_NOOP("CoreText",
          "The device identity could not be saved (%1). It lasts until the program ends."),
        "1" },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" is not a key") },
    { QT_TRANSLATE_NOOP("CoreText", "must be a whole number %1, not %2"), "1 2" },
    { QT_TRANSLATE_NOOP("CoreText", "must be one of %1, not %2"), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "must be an absolute path, not %1"), "1" },
    { QT_TRANSLATE_NOOP(
        "CoreText", "every model must be an object with a \"name\" of 1 to %1 characters") },
    { QT_TRANSLATE_NOOP("CoreText", "\"values\" must be an object, not %1"), "1" },
    { QT_TRANSLATE_NOOP(
        "CoreText", "\"values\" must not hold \"api_key\"; keys belong into the secret store") },
    { QT_TRANSLATE_NOOP("CoreText", "\"key_secret\" must be a string, not %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "model \"%1\": %2"), "2!" },
    { QT_TRANSLATE_NOOP("CoreText", "must be a list of at most %1 models, not %2"), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "model \"%1\" is there twice; the first one counts") },
    { QT_TRANSLATE_NOOP("CoreText", "must be a list of at most %1 entries, not %2"), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "every entry %1"), "1!" },
    { QT_TRANSLATE_NOOP("CoreText", "must be a text, not %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "must be an object, not %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "from %1 to %2, or 0 for the usual") },
    { QT_TRANSLATE_NOOP("CoreText", "must be an absolute path or begin with \"~/\", not \"%1\"") },
    { QT_TRANSLATE_NOOP("CoreText", "must not contain \".\" or \"..\", not \"%1\"") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "must be less than the whole disk or the whole home folder, not \"%1\"") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "may have \"*\", \"?\" and \"[\" in its last name only, not \"%1\"") },
    { QT_TRANSLATE_NOOP("CoreText", "must name more than \"*\", not \"%1\"") },
    { QT_TRANSLATE_NOOP("CoreText",
        "must be a host name, *.name for its sub-domains or **.name for both, not \"%1\"") },
    { QT_TRANSLATE_NOOP("CoreText", "%1: no task is accepted until \"sandbox\" is corrected.") },
    { QT_TRANSLATE_NOOP("CoreText", "from 1 to 16") },
    { QT_TRANSLATE_NOOP("CoreText", "from 1 to 1440, or 0 for no limit") },
    { QT_TRANSLATE_NOOP("CoreText", "must be true or false, not %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "must be the name of a model, or empty, not %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "must not be above \"ceiling\" (%1), not \"%2\"") },
    { QT_TRANSLATE_NOOP("CoreText", "must be the name of a model in \"models\", not \"%1\"") },
    { QT_TRANSLATE_NOOP(
          "CoreText", "%1 cannot be used (%2). It was kept as %3; the defaults count now."),
        "2" },
    { QT_TRANSLATE_NOOP(
          "CoreText", "%1 cannot be used (%2) and could not be set aside; the defaults count now."),
        "2" },
    { QT_TRANSLATE_NOOP("CoreText", "line %1: %2") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "%1: no task is accepted until \"allowed_roots\" is corrected.") },
    { QT_TRANSLATE_NOOP(
        "CoreText", "%1: \"version\" is %2, this program knows %3; only what it knows is used.") },
    { QT_TRANSLATE_NOOP("CoreText", "the settings could not be saved (%1)"), "1" },
    { QT_TRANSLATE_NOOP("CoreText",
          "They stay until the program ends. Make room or the folder writable, then save again."),
        "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "a list") },
    { QT_TRANSLATE_NOOP("CoreText", "a boolean") },
    { QT_TRANSLATE_NOOP("CoreText", "a number") },
    { QT_TRANSLATE_NOOP("CoreText", "a string") },
    { QT_TRANSLATE_NOOP("CoreText", "\"%1\" %2"), "2!" },
    { QT_TRANSLATE_NOOP("CoreText", "%1: %2."), "2!" },
    { QT_TRANSLATE_NOOP("CoreText", "the secrets are being moved already") },
    { QT_TRANSLATE_NOOP("CoreText", "Try again in a moment."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the name of a secret must have 1 to %1 characters") },
    { QT_TRANSLATE_NOOP("CoreText", "a secret may have at most %1 characters") },
    { QT_TRANSLATE_NOOP("CoreText", "a file only you can read") },
    { QT_TRANSLATE_NOOP("CoreText", "%1 cannot be used (%2)"), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "%1 cannot be used (%2); it was kept as %3"), "2" },
    { QT_TRANSLATE_NOOP("CoreText", "Sign in again."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "this session only") },
    { QT_TRANSLATE_NOOP("CoreText", "the system's key store") },
    { QT_TRANSLATE_NOOP("CoreText", "it is locked") },
    { QT_TRANSLATE_NOOP("CoreText", "this system has no key store (%1)"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "Choose where to keep the sign-in."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the key store refused: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "Unlock the key store."), "", Kind::Hint },
    { QT_TRANSLATE_NOOP("CoreText", "the key store did not answer within %1 s") },
    { QT_TRANSLATE_NOOP("CoreText", "the task history is closed") },
    { QT_TRANSLATE_NOOP("CoreText", "the task history is not open") },
    { QT_TRANSLATE_NOOP("CoreText", "reading the task history: %1"), "1" },
    { QT_TRANSLATE_NOOP("CoreText", "cannot create %1") },
    { QT_TRANSLATE_NOOP("CoreText",
        "The task history was written by a newer version of this program. It was kept as %1 and a "
        "new one was started.") },
    { QT_TRANSLATE_NOOP("CoreText",
          "The task history was damaged (%1). It was kept as %2 and a new one was started."),
        "1" },
    { QT_TRANSLATE_NOOP("CoreText",
          "The task history cannot be stored in %1 (%2). It is kept in memory until that works "
          "again."),
        "2" },
    { QT_TRANSLATE_NOOP("CoreText",
          "The task history cannot be written to %1 (%2). It is kept in memory and tried again."),
        "2" },
};

} // namespace

std::span<const Sentence> settingsSentences()
{
    return kSentences;
}

} // namespace deskhand::app::coretext
