// SPDX-License-Identifier: Apache-2.0
#include "executor/device/taskrequest.h"

#include "executor/common/jsonreader.h"
#include "executor/common/textlimits.h"

#include <QJsonArray>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

constexpr qsizetype kMaxTitle = 120; // UTF-16 units
constexpr qsizetype kMaxShownWord = 60;
constexpr qsizetype kMaxEchoedName = 200; // part of every packet, so it must stay small

QString echoed(const QJsonObject &object, const QString &key)
{
    const QString name = object.value(key).toString();
    return name.left(safeCut(name, kMaxEchoedName));
}

tl::unexpected<Error> refuse(const QString &sentence)
{
    return failure(ErrorKind::Protocol, sentence);
}

QString shown(const QString &word)
{
    return word.size() > kMaxShownWord ? word.left(kMaxShownWord) + u"…"_s : word;
}

Result<QString> text(const QJsonObject &object, QStringView key)
{
    return json::optionalString(object, key).map([](const std::optional<QString> &value) {
        return value.value_or(QString());
    });
}

/// Fields that are read leniently elsewhere, so that a wrong one is told rather than overlooked.
Result<> checkTypes(const QJsonObject &payload)
{
    struct Field
    {
        QStringView key;
        QJsonValue::Type type;
        QStringView words;
    };
    static constexpr Field kFields[] = {
        { u"executor_name", QJsonValue::String, u"a text" },
        { u"executor_namespace", QJsonValue::String, u"a text" },
        { u"task_title", QJsonValue::String, u"a text" },
        { u"subtask_title", QJsonValue::String, u"a text" },
        { u"git_url", QJsonValue::String, u"a text" },
        { u"attachments", QJsonValue::Array, u"a list" },
        { u"mcp_servers", QJsonValue::Array, u"a list" },
    };
    for (const Field &field : kFields) {
        const QJsonValue value = payload.value(field.key);
        if (!value.isUndefined() && !value.isNull() && value.type() != field.type) {
            return refuse(u"\"%1\" must be %2"_s.arg(field.key, field.words));
        }
    }
    const QJsonValue message = payload.value(u"message_id"_s);
    const bool number = message.isDouble() && message.toInteger(0) == message.toInteger(1);
    bool digits = false;
    (void)message.toString().trimmed().toLongLong(&digits);
    if (!message.isUndefined() && !message.isNull() && !number && !digits) {
        return refuse(u"\"message_id\" must be a whole number"_s);
    }
    return {};
}

/// The first bot of the list, or the one object; empty when there is none.
Result<QJsonObject> firstBot(const QJsonObject &payload)
{
    const QJsonValue bot = payload.value(u"bot"_s);
    if (bot.isUndefined() || bot.isNull()) {
        return QJsonObject();
    }
    if (bot.isObject()) {
        return bot.toObject();
    }
    if (!bot.isArray()) {
        return refuse(u"\"bot\" must be a list of objects or an object"_s);
    }
    const QJsonArray bots = bot.toArray();
    if (bots.isEmpty()) {
        return QJsonObject();
    }
    if (!bots.first().isObject()) {
        return refuse(u"\"bot\" must hold objects"_s);
    }
    return bots.first().toObject();
}

Result<> checkShell(const QJsonObject &bot)
{
    const auto shell = text(bot, u"shell_type");
    if (!shell) {
        return refuse(u"bot: "_s + shell.error().message);
    }
    const QString word = shell->trimmed().toLower();
    if (word.isEmpty() || word == u"codex" || word == u"claudecode") {
        return {};
    }
    return refuse(
        u"This device does not run agents of type \"%1\". It runs Codex and ClaudeCode."_s.arg(
            shown(shell->trimmed())));
}

Result<engines::InputImage> readImage(const QJsonObject &block)
{
    QJsonValue address = block.value(u"image_url"_s);
    if (address.isObject()) {
        address = address.toObject().value(u"url"_s);
    }
    const QString url = address.toString().trimmed();
    if (!url.startsWith(u"data:image/"_s) && !url.startsWith(u"https://"_s)) {
        return refuse(u"prompt: an image must be a data: URL of an image or an https: address"_s);
    }
    return engines::InputImage { url, {} };
}

Result<> readPrompt(const QJsonObject &payload, tasks::TurnRequest &turn)
{
    const QJsonValue prompt = payload.value(u"prompt"_s);
    if (prompt.isString()) {
        turn.prompt = prompt.toString();
    } else if (prompt.isArray()) {
        QStringList texts;
        for (const QJsonValue value : prompt.toArray()) {
            const QJsonObject block = value.toObject();
            const QString type = block.value(u"type"_s).toString();
            if (type == u"input_text" || type == u"text") {
                if (!block.value(u"text"_s).isString()) {
                    return refuse(u"prompt: a block of text has no \"text\""_s);
                }
                texts.append(block.value(u"text"_s).toString());
            } else if (type == u"input_image" || type == u"image_url") {
                const auto image = readImage(block);
                if (!image) {
                    return tl::unexpected(image.error());
                }
                turn.images.append(*image);
            } else {
                return refuse(
                    u"prompt: blocks of type \"%1\" are not supported"_s.arg(shown(type)));
            }
        }
        turn.prompt = texts.join(u"\n\n"_s);
    } else if (prompt.isUndefined() || prompt.isNull()) {
        return refuse(u"\"prompt\" is missing"_s);
    } else {
        return refuse(u"\"prompt\" must be a text or a list of blocks"_s);
    }
    if (turn.prompt.trimmed().isEmpty() && turn.images.isEmpty()) {
        return refuse(u"\"prompt\" is empty"_s);
    }
    return {};
}

/// The request's model, else the bot's (device protocol, section 12).
Result<> readModel(const QJsonObject &payload, const QJsonObject &bot, tasks::TurnRequest &turn)
{
    const auto own = json::optionalObject(payload, u"model_config");
    if (!own) {
        return tl::unexpected(own.error());
    }
    if (*own) {
        auto model = engines::ModelConfig::fromJson(**own);
        if (!model) {
            return tl::unexpected(model.error());
        }
        turn.model = *model;
    }
    if (turn.model) {
        return {};
    }
    const auto agentConfig = json::optionalObject(bot, u"agent_config");
    if (!agentConfig) {
        return tl::unexpected(agentConfig.error().within(u"bot"_s));
    }
    const auto env = json::optionalObject(agentConfig->value_or(QJsonObject()), u"env");
    if (!env) {
        return tl::unexpected(env.error().within(u"bot: agent_config"_s));
    }
    if (!*env) {
        return {};
    }
    auto model = engines::ModelConfig::fromJson(**env);
    if (!model) {
        return tl::unexpected(model.error().within(u"bot"_s));
    }
    turn.model = *model;
    return {};
}

/// Only an explicit name selects another home, and only one that is a plain folder name.
Result<> readAgentHome(const QJsonObject &bot, tasks::TurnRequest &turn)
{
    const auto name = text(bot, u"agent_home");
    if (!name) {
        return refuse(u"bot: "_s + name.error().message);
    }
    if (name->trimmed().isEmpty()) {
        return {};
    }
    static const QRegularExpression plain(u"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"_s);
    if (!plain.match(name->trimmed()).hasMatch()) {
        return refuse(
            u"bot: \"agent_home\" may hold letters, digits, '-' and '_' only, not \"%1\""_s.arg(
                shown(*name)));
    }
    turn.agentName = name->trimmed();
    return {};
}

Result<> readInstructions(
    const QJsonObject &payload, const QJsonObject &bot, tasks::TurnRequest &turn)
{
    QStringList parts;
    for (const QJsonObject &from : { payload, bot }) {
        const auto part = text(from, u"system_prompt");
        if (!part) {
            return tl::unexpected(part.error());
        }
        const QString trimmed = part->trimmed();
        if (!trimmed.isEmpty() && !parts.contains(trimmed)) {
            parts.append(trimmed);
        }
    }
    turn.developerInstructions = parts.join(u"\n\n"_s);
    return {};
}

QString titleOf(const QJsonObject &payload, const QString &prompt)
{
    for (const QString &key : { u"task_title"_s, u"subtask_title"_s }) {
        const QString title = payload.value(key).toString().simplified();
        if (!title.isEmpty()) {
            return title.left(safeCut(title, kMaxTitle));
        }
    }
    const QString start = prompt.trimmed().left(4 * kMaxTitle).simplified();
    return start.left(safeCut(start, kMaxTitle));
}

QStringList notesOf(const QJsonObject &payload)
{
    QStringList notes;
    const auto count = [&payload](const QString &key) {
        return payload.value(key).toArray().size();
    };
    if (const auto attachments = count(u"attachments"_s); attachments > 0) {
        notes.append(
            u"This version does not fetch attachments; %1 of the task are not there."_s.arg(
                attachments));
    }
    if (const auto servers = count(u"mcp_servers"_s); servers > 0) {
        notes.append(
            u"This version does not set up tool servers; %1 of the task are not there."_s.arg(
                servers));
    }
    if (payload.value(u"project_workspace_path"_s).toString().trimmed().isEmpty()
        && !payload.value(u"git_url"_s).toString().trimmed().isEmpty()) {
        notes.append(u"This version does not clone repositories; the task starts in its own "
                     "folder."_s);
    }
    return notes;
}

} // namespace

std::optional<qint64> readId(const QJsonValue &value)
{
    qint64 id = 0;
    if (value.isDouble()) {
        // Two defaults tell a whole number of 64 bits from everything else.
        if (value.toInteger(0) != value.toInteger(1)) {
            return std::nullopt;
        }
        id = value.toInteger();
    } else if (value.isString()) {
        bool ok = false;
        id = value.toString().trimmed().toLongLong(&ok);
        if (!ok) {
            return std::nullopt;
        }
    }
    return id > 0 ? std::optional<qint64>(id) : std::nullopt;
}

engines::TurnRef TurnAddress::ref() const
{
    return { QString::number(taskId), QString::number(subtaskId) };
}

QJsonObject TurnAddress::toJson() const
{
    QJsonObject object { { u"task_id"_s, taskId }, { u"subtask_id"_s, subtaskId } };
    if (messageId) {
        object.insert(u"message_id"_s, *messageId);
    }
    const std::pair<QString, QString> texts[]
        = { { u"executor_name"_s, executorName }, { u"executor_namespace"_s, executorNamespace },
              { u"shell_type"_s, shellType }, { u"model"_s, model }, { u"server"_s, server } };
    for (const auto &[key, value] : texts) {
        if (!value.isEmpty()) {
            object.insert(key, value);
        }
    }
    return object;
}

Result<TurnAddress> TurnAddress::fromJson(const QJsonObject &object)
{
    auto address = readAddress(object, true, object.value(u"server"_s).toString());
    if (address) {
        address->shellType = object.value(u"shell_type"_s).toString();
        address->model = object.value(u"model"_s).toString();
    }
    return address;
}

QJsonObject TurnAddress::envelope(const QString &event, const QJsonObject &data) const
{
    QJsonObject payload { { u"event_type"_s, event }, { u"task_id"_s, taskId },
        { u"subtask_id"_s, subtaskId }, { u"data"_s, data } };
    if (messageId) {
        payload.insert(u"message_id"_s, *messageId);
    }
    if (!executorName.isEmpty()) {
        payload.insert(u"executor_name"_s, executorName);
    }
    if (!executorNamespace.isEmpty()) {
        payload.insert(u"executor_namespace"_s, executorNamespace);
    }
    return payload;
}

Result<TurnAddress> readAddress(const QJsonObject &payload, bool needSubtask, const QString &server)
{
    TurnAddress address;
    address.server = server;
    const auto task = readId(payload.value(u"task_id"_s));
    if (!task) {
        return refuse(u"\"task_id\" is missing or no positive whole number"_s);
    }
    address.taskId = *task;
    auto subtask = readId(payload.value(u"subtask_id"_s));
    if (!subtask) {
        subtask = readId(payload.value(u"turn_id"_s));
    }
    if (!subtask && needSubtask) {
        return refuse(u"\"subtask_id\" is missing or no positive whole number"_s);
    }
    address.subtaskId = subtask.value_or(0);
    address.messageId = readId(payload.value(u"message_id"_s));
    address.executorName = echoed(payload, u"executor_name"_s);
    address.executorNamespace = echoed(payload, u"executor_namespace"_s);
    return address;
}

Result<ExecuteRequest> readExecute(const QJsonObject &payload, const TurnAddress &address)
{
    ExecuteRequest request;
    tasks::TurnRequest &turn = request.turn;
    turn.ref = address.ref();
    turn.origin = tasks::Origin::Backend;
    turn.replacesRunning = true;

    if (const auto types = checkTypes(payload); !types) {
        return tl::unexpected(types.error());
    }
    const auto bot = firstBot(payload);
    if (!bot) {
        return tl::unexpected(bot.error());
    }
    const std::pair<QStringView, QString *> texts[] = { { u"project_workspace_path", &turn.cwd },
        { u"runtime_permission_profile", &turn.profileWish } };
    for (const auto &[key, target] : texts) {
        const auto value = text(payload, key);
        if (!value) {
            return tl::unexpected(value.error());
        }
        *target = value->trimmed();
    }
    const auto newSession = json::optionalBool(payload, u"new_session");
    if (!newSession) {
        return tl::unexpected(newSession.error());
    }
    turn.newSession = newSession->value_or(false);
    for (const Result<> &step :
        { checkShell(*bot), readPrompt(payload, turn), readModel(payload, *bot, turn),
            readAgentHome(*bot, turn), readInstructions(payload, *bot, turn) }) {
        if (!step) {
            return tl::unexpected(step.error());
        }
    }
    turn.title = titleOf(payload, turn.prompt);
    request.notes = notesOf(payload);

    TurnAddress echo = address;
    echo.shellType = bot->value(u"shell_type"_s).toString().trimmed().toLower();
    if (echo.shellType.isEmpty()) {
        echo.shellType = u"codex"_s;
    }
    echo.model = echoed(payload.value(u"model_config"_s).toObject(), u"model_id"_s);
    turn.echo = echo.toJson();
    return request;
}

} // namespace deskhand::device
