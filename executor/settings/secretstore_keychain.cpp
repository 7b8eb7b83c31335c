// SPDX-License-Identifier: Apache-2.0
#include "executor/logging/log.h"
#include "executor/settings/keychainlock.h"
#include "executor/settings/secretstore_p.h"

#include <QCoreApplication>
#include <QHash>
#include <QMutex>
#include <QThread>
#include <QTimer>
#include <qt6keychain/keychain.h>

#include <array>

namespace deskhand::settings {
namespace {

using namespace Qt::StringLiterals;

/// The one thread on which the key store library runs. Its calls may block on a bus that does not
/// answer, and its queue of jobs is one object of the process that stays on the thread it was first
/// used on; hence one thread of the process, from the first store until the application object
/// goes.
class KeychainThread final
{
public:
    /// An object on that thread, to post work to.
    static QObject *worker()
    {
        static KeychainThread instance;
        return instance.m_worker;
    }

private:
    KeychainThread()
        : m_thread(new QThread)
        , m_worker(new QObject)
    {
        m_thread->setObjectName(u"keychain"_s);
        m_worker->moveToThread(m_thread);
        m_thread->start();
        s_thread = m_thread;
        qAddPostRoutine(&KeychainThread::end);
    }

    static void end()
    {
        constexpr unsigned long kLongestWaitMs = 300;
        s_thread->quit();
        // A thread that hangs in a call to the bus is left to the end of the process.
        s_thread->wait(kLongestWaitMs);
    }

    static inline QThread *s_thread = nullptr; // never deleted: it may still be inside a call
    QThread *m_thread;
    QObject *m_worker;
};

struct Answer
{
    QKeychain::Error error = QKeychain::NoError;
    QString errorText;
    QString value;
};

/// Where the keychain thread leaves answers: the store may be gone before they come.
class Mailbox final
{
public:
    using Deliver = std::function<void(quint64 ticket, const Answer &answer)>;

    Mailbox(QObject *owner, Deliver deliver)
        : m_owner(owner)
        , m_deliver(std::move(deliver))
    { }

    void close()
    {
        const QMutexLocker lock(&m_mutex);
        m_owner = nullptr;
    }

    void post(quint64 ticket, const Answer &answer)
    {
        const QMutexLocker lock(&m_mutex);
        if (m_owner) {
            QMetaObject::invokeMethod(
                m_owner, [deliver = m_deliver, ticket, answer] { deliver(ticket, answer); },
                Qt::QueuedConnection);
        }
    }

private:
    QMutex m_mutex; // guards m_owner
    QObject *m_owner;
    Deliver m_deliver;
};

/// The state a refusal stands for. The library tells "no key store" from "not now" only by text
/// for most failures, so the names of the bus's own errors count.
SecretsState stateOfRefusal(const Answer &answer)
{
    if (answer.error == QKeychain::NoBackendAvailable
        || answer.error == QKeychain::NotImplemented) {
        return SecretsState::Missing;
    }
    constexpr std::array<QLatin1StringView, 6> kNobodyThere { "ServiceUnknown"_L1,
        "not provided by any .service"_L1, "autolaunch"_L1, "Could not connect"_L1,
        "Spawn.ChildExited"_L1, "exited with status"_L1 };
    const bool missing = std::any_of(kNobodyThere.begin(), kNobodyThere.end(),
        [&answer](QLatin1StringView sign) { return answer.errorText.contains(sign); });
    return missing ? SecretsState::Missing : SecretsState::Locked;
}

/// Secrets in the system's key store. Jobs run on the keychain thread; limits and answers are
/// here, on the store's own thread.
class KeychainStore final : public SecretStore
{
public:
    KeychainStore(const QString &service, std::chrono::milliseconds limit)
        : m_service(service)
        , m_limit(limit)
        , m_worker(KeychainThread::worker())
        , m_mailbox(std::make_shared<Mailbox>(
              this, [this](quint64 ticket, const Answer &answer) { onAnswer(ticket, answer); }))
    { }

    ~KeychainStore() override { m_mailbox->close(); }
    Q_DISABLE_COPY_MOVE(KeychainStore)

    void read(
        const QString &name, const std::function<void(const Result<QString> &)> &done) override
    {
        run(name, {}, done, [service = m_service, name] {
            auto *job = new QKeychain::ReadPasswordJob(service);
            job->setKey(name);
            return job;
        });
    }

    void write(const QString &name, const QString &value,
        const std::function<void(const Result<> &)> &done) override
    {
        if (value.isEmpty()) { // some key stores refuse an empty value
            remove(name, done);
            return;
        }
        run(name, value, withoutValue(done), [service = m_service, name, value] {
            auto *job = new QKeychain::WritePasswordJob(service);
            job->setKey(name);
            job->setTextData(value);
            return job;
        });
    }

    void remove(const QString &name, const std::function<void(const Result<> &)> &done) override
    {
        run(name, {}, withoutValue(done), [service = m_service, name] {
            auto *job = new QKeychain::DeletePasswordJob(service);
            job->setKey(name);
            return job;
        });
    }

    [[nodiscard]] SecretsState state() const override { return m_state; }
    [[nodiscard]] QString place() const override { return u"the system's key store"_s; }

private:
    using Done = std::function<void(const Result<QString> &)>;
    struct Waiting
    {
        Done done;
        QTimer *timer = nullptr;
    };

    static Done withoutValue(const std::function<void(const Result<> &)> &done)
    {
        return [done](const Result<QString> &outcome) {
            if (done) {
                done(outcome.map([](const QString &) {}));
            }
        };
    }

    template <typename MakeJob>
    void run(const QString &name, const QString &value, const Done &done, MakeJob makeJob)
    {
        const quint64 ticket = ++m_lastTicket;
        auto *timer = new QTimer(this);
        timer->setSingleShot(true);
        m_waiting.insert(ticket, Waiting { done, timer });
        connect(timer, &QTimer::timeout, this, [this, ticket] { onLimit(ticket); });
        if (const Result<> checked = checkSecret(name, value); !checked) {
            QMetaObject::invokeMethod(
                this,
                [this, ticket, error = checked.error()] {
                    finish(ticket, tl::unexpected<Error>(error));
                },
                Qt::QueuedConnection);
            return;
        }
        timer->start(m_limit);
        QMetaObject::invokeMethod(
            m_worker,
            [mailbox = m_mailbox, worker = m_worker, ticket, makeJob] {
                auto *job = makeJob(); // deletes itself after finished()
                job->setInsecureFallback(false);
                QObject::connect(job, &QKeychain::Job::finished, worker,
                    [mailbox, ticket, worker](QKeychain::Job *finished) {
                        Answer answer { finished->error(), finished->errorString(), {} };
                        if (auto *reader = qobject_cast<QKeychain::ReadPasswordJob *>(finished)) {
                            answer.value = reader->textData();
                        }
                        // A locked key store "finds" nothing and "removes" nothing, without error.
                        const bool doubtful = answer.error == QKeychain::EntryNotFound
                            || (answer.error == QKeychain::NoError
                                && qobject_cast<QKeychain::DeletePasswordJob *>(finished));
                        if (!doubtful) {
                            mailbox->post(ticket, answer);
                            return;
                        }
                        askWhetherLocked(finished->service(), finished->key(), worker,
                            [mailbox, ticket, answer](bool locked) {
                                mailbox->post(ticket,
                                    locked
                                        ? Answer { QKeychain::AccessDenied, u"it is locked"_s, {} }
                                        : answer);
                            });
                    });
                job->start();
            },
            Qt::QueuedConnection);
    }

    void onAnswer(quint64 ticket, const Answer &answer)
    {
        if (answer.error == QKeychain::NoError || answer.error == QKeychain::EntryNotFound) {
            // Also when its caller has been told of the time limit: the key store is back.
            setState(SecretsState::Ready);
            finish(ticket, answer.value);
            return;
        }
        logging::logger("settings")->warn("key store: {}", answer.errorText);
        const SecretsState refusal = stateOfRefusal(answer);
        setState(refusal);
        if (refusal == SecretsState::Missing) {
            finish(ticket,
                failure(ErrorKind::Unavailable,
                    u"this system has no key store (%1)"_s.arg(answer.errorText),
                    u"Choose where to keep the sign-in."_s));
        } else {
            finish(ticket,
                failure(ErrorKind::Unavailable,
                    u"the key store refused: %1"_s.arg(answer.errorText),
                    u"Unlock the key store."_s));
        }
    }

    void onLimit(quint64 ticket)
    {
        setState(SecretsState::Locked);
        finish(ticket,
            failure(ErrorKind::Timeout,
                u"the key store did not answer within %1 s"_s.arg(
                    static_cast<double>(m_limit.count()) / 1000.0),
                u"Unlock the key store."_s));
    }

    void finish(quint64 ticket, const Result<QString> &outcome)
    {
        const Waiting waiting = m_waiting.take(ticket);
        if (!waiting.timer) {
            return; // its limit has passed and the caller knows
        }
        waiting.timer->stop();
        waiting.timer->deleteLater();
        if (waiting.done) {
            waiting.done(outcome);
        }
    }

    void setState(SecretsState state)
    {
        if (state != m_state) {
            m_state = state;
            Q_EMIT stateChanged(state);
        }
    }

    QString m_service;
    std::chrono::milliseconds m_limit;
    QObject *m_worker;
    std::shared_ptr<Mailbox> m_mailbox;
    QHash<quint64, Waiting> m_waiting;
    quint64 m_lastTicket = 0;
    SecretsState m_state = SecretsState::Ready; // until the first answer says otherwise
};

} // namespace

std::unique_ptr<SecretStore> makeKeychainStore(
    const QString &service, std::chrono::milliseconds limit)
{
    return std::make_unique<KeychainStore>(service, limit);
}

} // namespace deskhand::settings
