// SPDX-License-Identifier: Apache-2.0
#include "executor/control/session.h"

#include "executor/common/jsonreader.h"
#include "executor/control/params.h"
#include "executor/control/protocol.h"
#include "executor/logging/log.h"
#include "executor/logging/masking.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocalSocket>
#include <QPointer>

#include <array>

namespace deskhand::control {
namespace {

using namespace Qt::StringLiterals;

constexpr int kMaxGarbageInARow = 5;
constexpr int kDefaultListLength = 100;
constexpr int kMaxListLength = 1000;
/// Of one answer of tasks.show; the rest is asked for with after_seq.
constexpr qsizetype kMaxPageBytes = 1024 * 1024;
constexpr qsizetype kMaxPromptLength = 4 * 1024 * 1024;
constexpr qsizetype kMaxTokenLength = 16 * 1024;
constexpr qint64 kMaxDrainMs = 24LL * 3600 * 1000;
constexpr qint64 kMaxPauseMs = 7 * 24LL * 3600 * 1000;

Result<LocalTask> readLocalTask(const QJsonObject &params)
{
    const Result<QString> prompt = textOf(params, u"prompt", kMaxPromptLength);
    const Result<QString> cwd = textOf(params, u"cwd", 4096);
    const Result<QString> profile = textOf(params, u"profile", kMaxIdLength);
    const Result<QString> task = textOf(params, u"continue_task", kMaxIdLength);
    const Result<QString> model = textOf(params, u"model", kMaxIdLength);
    for (const Result<QString> *field : { &prompt, &cwd, &profile, &task, &model }) {
        if (!*field) {
            return tl::unexpected<Error>(field->error());
        }
    }
    if (!cwd->isEmpty() && !QDir::isAbsolutePath(*cwd)) {
        return tl::unexpected<Error>(usage(u"\"cwd\" must be an absolute path"_s));
    }
    LocalTask local;
    local.prompt = *prompt;
    local.cwd = *cwd;
    local.profile = *profile;
    local.continueTask = *task;
    local.model = *model;
    return local;
}

Result<QHash<QString, QStringList>> readAnswers(const QJsonObject &params)
{
    const auto object = json::optionalObject(params, u"answers");
    if (!object) {
        return tl::unexpected<Error>(object.error());
    }
    QHash<QString, QStringList> answers;
    const QJsonObject given = object->value_or(QJsonObject());
    for (auto it = given.begin(); it != given.end(); ++it) {
        QStringList words;
        const QJsonArray list = it.value().toArray();
        for (const QJsonValue &word : list) {
            if (!word.isString()) {
                return tl::unexpected<Error>(
                    usage(u"the answers to \"%1\" must be strings"_s.arg(it.key().left(100))));
            }
            words.append(word.toString());
        }
        if (!it.value().isArray()) {
            return tl::unexpected<Error>(
                usage(u"the answers to \"%1\" must be a list"_s.arg(it.key().left(100))));
        }
        answers.insert(it.key(), words);
    }
    return answers;
}

Result<engines::Decision> readDecision(const QJsonObject &params)
{
    const Result<QString> word = json::requireString(params, u"choice");
    if (!word) {
        return tl::unexpected<Error>(word.error());
    }
    const Result<engines::Choice> choice = engines::choiceFromName(*word);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    const Result<QString> note = textOf(params, u"note", 4000);
    if (!note) {
        return tl::unexpected<Error>(note.error());
    }
    Result<QHash<QString, QStringList>> answers = readAnswers(params);
    if (!answers) {
        return tl::unexpected<Error>(answers.error());
    }
    engines::Decision decision;
    decision.choice = *choice;
    decision.by = u"command line"_s;
    decision.note = *note;
    decision.answers = std::move(*answers);
    return decision;
}

QJsonArray toArray(const QList<tasks::TaskSummary> &summaries)
{
    QJsonArray array;
    for (const tasks::TaskSummary &summary : summaries) {
        array.append(tasks::toJson(summary));
    }
    return array;
}

/// As many records after `afterSeq` as fit a page, at least one.
QJsonObject page(const QList<TaskEventRecord> &story, qint64 afterSeq)
{
    QJsonArray events;
    qsizetype bytes = 0;
    bool more = false;
    for (const TaskEventRecord &record : story) {
        if (record.seq <= afterSeq) {
            continue;
        }
        const QJsonObject object = toJson(record);
        const qsizetype size = json::compact(object).size();
        if (!events.isEmpty() && bytes + size > kMaxPageBytes) {
            more = true;
            break;
        }
        bytes += size;
        events.append(object);
    }
    return { { u"events"_s, events }, { u"more"_s, more } };
}

} // namespace

Session::Session(
    Subject &subject, QLocalSocket *socket, const ServerOptions &options, QObject *parent)
    : QObject(parent)
    , m_subject(subject)
    , m_socket(socket)
{
    m_socket->setParent(this);
    jsonrpc::PeerOptions peer;
    peer.maxLineBytes = kMaxLineBytes;
    peer.maxQueuedBytes = options.maxUnreadBytes;
    m_peer = new jsonrpc::Peer(m_socket, peer, this);
    m_peer->setRequestHandler(
        [this](const jsonrpc::IncomingRequest &request) { return handle(request); });
    connect(m_peer, &jsonrpc::Peer::garbage, this, [this](const QByteArray &, int inARow) {
        m_peer->respondError(QJsonValue(), -32700, u"this line is no JSON-RPC message"_s);
        if (inARow >= kMaxGarbageInARow) {
            end(u"it sends no JSON-RPC"_s);
        }
    });
    connect(m_peer, &jsonrpc::Peer::closed, this, [this] { end({}); });
    connect(m_socket, &QLocalSocket::disconnected, this, [this] { end({}); });
    m_firstWord.setSingleShot(true);
    connect(&m_firstWord, &QTimer::timeout, this, [this] { end(u"it says nothing"_s); });
    m_firstWord.start(options.firstWordLimit);

    connect(&m_subject, &Subject::statusChanged, this, [this] {
        if (m_statusWanted) {
            notify(method::statusChanged, m_subject.status());
        }
    });
    connect(&m_subject, &Subject::taskChanged, this, [this](const tasks::TaskSummary &summary) {
        if (m_tasksWanted && (m_onlyTask.isEmpty() || m_onlyTask == summary.taskId)) {
            notify(method::taskChanged, tasks::toJson(summary));
        }
    });
    connect(&m_subject, &Subject::taskEvent, this, [this](const TaskEventRecord &record) {
        if (m_tasksWanted && (m_onlyTask.isEmpty() || m_onlyTask == record.ref.taskId)) {
            notify(method::taskEvent, toJson(record));
        }
    });
    connect(&m_subject, &Subject::requestOpened, this,
        [this](const engines::PermissionRequest &request) {
            if (m_requestsWanted) {
                notify(method::requestOpened, engines::toJson(request));
            }
        });
    connect(&m_subject, &Subject::requestClosed, this,
        [this](const engines::PermissionRequest &request, engines::RequestOutcome outcome,
            const QString &by, const QString &reason) {
            if (m_requestsWanted) {
                notify(method::requestClosed,
                    { { u"id"_s, request.id }, { u"task_id"_s, request.taskId },
                        { u"outcome"_s, engines::requestOutcomeName(outcome) }, { u"by"_s, by },
                        { u"reason"_s, reason } });
            }
        });
}

bool Session::handle(const jsonrpc::IncomingRequest &request)
{
    struct Method
    {
        QLatin1StringView name;
        void (Session::*run)(const Id &id, const QJsonObject &params);
    };
    static constexpr std::array kMethods {
        Method { method::hello, &Session::hello },
        Method { method::status, &Session::status },
        Method { method::statusSubscribe, &Session::subscribeStatus },
        Method { method::settings, &Session::settings },
        Method { method::tasksList, &Session::listTasks },
        Method { method::tasksShow, &Session::showTask },
        Method { method::tasksStart, &Session::startTask },
        Method { method::tasksStop, &Session::stopTask },
        Method { method::tasksSubscribe, &Session::subscribeTasks },
        Method { method::requestsList, &Session::listRequests },
        Method { method::requestsAnswer, &Session::answerRequest },
        Method { method::requestsSubscribe, &Session::subscribeRequests },
        Method { method::modelsList, &Session::listModels },
        Method { method::modelsTest, &Session::testModel },
        Method { method::modelsAdd, &Session::addModel },
        Method { method::modelsKey, &Session::replaceModelKey },
        Method { method::modelsRemove, &Session::removeModel },
        Method { method::modelsDefault, &Session::setDefaultModel },
        Method { method::modelsUsage, &Session::modelUsage },
        Method { method::pause, &Session::pause },
        Method { method::resume, &Session::resume },
        Method { method::reload, &Session::reload },
        Method { method::quit, &Session::quit },
        Method { method::tokenSet, &Session::setToken },
    };
    m_firstWord.stop();
    for (const Method &known : kMethods) {
        if (request.method == known.name) {
            (this->*known.run)(request.id, request.params);
            return true;
        }
    }
    return false;
}

void Session::answer(const Id &id, const QJsonObject &result)
{
    if (!m_over && !m_peer->respond(id, result)) {
        end(u"it does not read its answers"_s);
    }
}

void Session::refuse(const Id &id, const Error &error)
{
    // Texts of errors may quote what somebody typed.
    const QString message = logging::maskSecrets(error.message);
    const int code = error.kind == ErrorKind::Usage ? jsonrpc::Peer::kInvalidParams : kFailureCode;
    if (!m_over && !m_peer->respondError(id, code, message, errorData(error))) {
        end(u"it does not read its answers"_s);
    }
}

void Session::answerLater(const Id &id, const Result<> &outcome)
{
    if (outcome) {
        answer(id, {});
    } else {
        refuse(id, outcome.error());
    }
}

void Session::notify(QLatin1StringView method, const QJsonObject &params)
{
    if (!m_over && !m_peer->notify(method, params)) {
        end(u"it does not read what it subscribed to"_s);
    }
}

void Session::end(const QString &why)
{
    if (m_over) {
        return;
    }
    m_over = true;
    if (!why.isEmpty()) {
        logging::logger("control")->warn("a client is let go: {}", why);
    }
    m_socket->disconnectFromServer();
    Q_EMIT ended();
}

void Session::hello(const Id &id, const QJsonObject & /*params*/)
{
    answer(id,
        { { u"program"_s, QCoreApplication::applicationName() },
            { u"version"_s, QStringLiteral(DESKHAND_VERSION) },
            { u"pid"_s, QCoreApplication::applicationPid() },
            { u"protocol"_s, kProtocolVersion } });
}

void Session::status(const Id &id, const QJsonObject & /*params*/)
{
    answer(id, m_subject.status());
}

void Session::subscribeStatus(const Id &id, const QJsonObject & /*params*/)
{
    m_statusWanted = true;
    answer(id, m_subject.status());
}

void Session::settings(const Id &id, const QJsonObject & /*params*/)
{
    answer(id, m_subject.settings());
}

void Session::listTasks(const Id &id, const QJsonObject &params)
{
    const auto active = json::optionalBool(params, u"active");
    const auto limit = json::optionalInt(params, u"limit");
    if (!active || !limit) {
        refuse(id, usage(active ? limit.error() : active.error()));
        return;
    }
    const qint64 length = limit->value_or(kDefaultListLength);
    if (length < 1 || length > kMaxListLength) {
        refuse(id, usage(u"\"limit\" must be from 1 to %1"_s.arg(kMaxListLength)));
        return;
    }
    if (active->value_or(false)) {
        answer(id, { { u"tasks"_s, toArray(m_subject.activeTasks()) } });
        return;
    }
    m_subject.taskHistory(static_cast<int>(length),
        [self = QPointer<Session>(this), id](const Result<QList<tasks::TaskSummary>> &history) {
            if (!self) {
                return;
            }
            if (history) {
                self->answer(id, { { u"tasks"_s, toArray(*history) } });
            } else {
                self->refuse(id, history.error());
            }
        });
}

void Session::showTask(const Id &id, const QJsonObject &params)
{
    const Result<QString> taskId = requireId(params, u"task_id");
    const auto after = json::optionalInt(params, u"after_seq");
    if (!taskId || !after) {
        refuse(id, usage(taskId ? after.error() : taskId.error()));
        return;
    }
    m_subject.taskStory(*taskId,
        [self = QPointer<Session>(this), id, afterSeq = after->value_or(0)](
            const Result<QList<TaskEventRecord>> &story) {
            if (!self) {
                return;
            }
            if (story) {
                self->answer(id, page(*story, afterSeq));
            } else {
                self->refuse(id, story.error());
            }
        });
}

void Session::startTask(const Id &id, const QJsonObject &params)
{
    const Result<LocalTask> task = readLocalTask(params);
    if (!task) {
        refuse(id, usage(task.error()));
        return;
    }
    m_subject.startLocalTask(
        *task, [self = QPointer<Session>(this), id](const Result<QString> &taskId) {
            if (!self) {
                return;
            }
            if (taskId) {
                self->answer(id, { { u"task_id"_s, *taskId } });
            } else {
                self->refuse(id, taskId.error());
            }
        });
}

void Session::stopTask(const Id &id, const QJsonObject &params)
{
    const Result<QString> taskId = requireId(params, u"task_id");
    if (!taskId) {
        refuse(id, usage(taskId.error()));
        return;
    }
    m_subject.stopTask(*taskId, [self = QPointer<Session>(this), id](const Result<> &outcome) {
        if (self) {
            self->answerLater(id, outcome);
        }
    });
}

void Session::subscribeTasks(const Id &id, const QJsonObject &params)
{
    const Result<QString> only = textOf(params, u"task_id", kMaxIdLength);
    if (!only) {
        refuse(id, usage(only.error()));
        return;
    }
    m_tasksWanted = true;
    m_onlyTask = *only;
    answer(id, {});
}

void Session::listRequests(const Id &id, const QJsonObject & /*params*/)
{
    QJsonArray requests;
    for (const engines::PermissionRequest &request : m_subject.requests()) {
        requests.append(engines::toJson(request));
    }
    answer(id, { { u"requests"_s, requests } });
}

void Session::answerRequest(const Id &id, const QJsonObject &params)
{
    const Result<QString> requestId = requireId(params, u"id");
    if (!requestId) {
        refuse(id, usage(requestId.error()));
        return;
    }
    const Result<engines::Decision> decision = readDecision(params);
    if (!decision) {
        refuse(id, usage(decision.error()));
        return;
    }
    m_subject.answerRequest(
        *requestId, *decision, [self = QPointer<Session>(this), id](const Result<> &outcome) {
            if (self) {
                self->answerLater(id, outcome);
            }
        });
}

void Session::subscribeRequests(const Id &id, const QJsonObject &params)
{
    m_requestsWanted = true;
    listRequests(id, params);
}

void Session::pause(const Id &id, const QJsonObject &params)
{
    const auto limit = json::optionalInt(params, u"for_ms");
    if (!limit || limit->value_or(0) < 0 || limit->value_or(0) > kMaxPauseMs) {
        refuse(id, usage(u"\"for_ms\" must be a whole number from 0 to %1"_s.arg(kMaxPauseMs)));
        return;
    }
    m_subject.setPaused(true, std::chrono::milliseconds(limit->value_or(0)));
    answer(id, {});
}

void Session::resume(const Id &id, const QJsonObject & /*params*/)
{
    m_subject.setPaused(false, {});
    answer(id, {});
}

void Session::reload(const Id &id, const QJsonObject & /*params*/)
{
    m_subject.reload();
    answer(id, {});
}

void Session::quit(const Id &id, const QJsonObject &params)
{
    const auto drain = json::optionalInt(params, u"drain_ms");
    if (!drain || drain->value_or(0) < 0 || drain->value_or(0) > kMaxDrainMs) {
        refuse(id, usage(u"\"drain_ms\" must be a whole number from 0 to %1"_s.arg(kMaxDrainMs)));
        return;
    }
    answer(id, {});
    Q_EMIT quitRequested(std::chrono::milliseconds(drain->value_or(0)));
}

void Session::setToken(const Id &id, const QJsonObject &params)
{
    const Result<QString> token = textOf(params, u"token", kMaxTokenLength);
    if (!token) {
        refuse(id, usage(token.error()));
        return;
    }
    m_subject.setToken(*token, [self = QPointer<Session>(this), id](const Result<> &outcome) {
        if (self) {
            self->answerLater(id, outcome);
        }
    });
}

} // namespace deskhand::control
