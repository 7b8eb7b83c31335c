// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/secretshelf.h"

#include <algorithm>
#include <utility>

using namespace Qt::StringLiterals;

namespace deskhand::settings {

struct SecretShelf::Move
{
    Kept *next = nullptr;
    QHash<QString, QString> values;
    qsizetype open = 0;
    Result<> outcome;
    std::function<void(const Result<> &)> done;
};

SecretShelf::SecretShelf(std::unique_ptr<SecretStore> store, QObject *parent)
    : SecretStore(parent)
{
    m_current = &add(std::move(store));
}

SecretShelf::~SecretShelf() = default;

SecretShelf::Kept &SecretShelf::add(std::unique_ptr<SecretStore> store)
{
    m_kept.push_back(std::make_unique<Kept>());
    Kept &kept = *m_kept.back();
    kept.store = std::move(store);
    connect(kept.store.get(), &SecretStore::stateChanged, this,
        [this, raw = &kept](SecretsState state) {
            if (raw == m_current) {
                Q_EMIT stateChanged(state);
            }
        });
    return kept;
}

template <typename Outcome>
std::function<void(const Outcome &)> SecretShelf::counted(
    Kept &kept, const std::function<void(const Outcome &)> &done)
{
    ++kept.open;
    return [this, raw = &kept, done](const Outcome &outcome) {
        if (done) {
            done(outcome);
        }
        if (--raw->open == 0 && raw != m_current) {
            // Later: this runs inside the store that may go.
            QMetaObject::invokeMethod(this, &SecretShelf::sweep, Qt::QueuedConnection);
        }
    };
}

void SecretShelf::sweep()
{
    std::erase_if(m_kept, [this](const std::unique_ptr<Kept> &kept) {
        return kept->open == 0 && kept.get() != m_current && kept.get() != m_next;
    });
}

void SecretShelf::read(
    const QString &name, const std::function<void(const Result<QString> &)> &done)
{
    m_current->store->read(name, counted<Result<QString>>(*m_current, done));
}

void SecretShelf::write(
    const QString &name, const QString &value, const std::function<void(const Result<> &)> &done)
{
    m_current->store->write(name, value, counted<Result<>>(*m_current, done));
}

void SecretShelf::remove(const QString &name, const std::function<void(const Result<> &)> &done)
{
    m_current->store->remove(name, counted<Result<>>(*m_current, done));
}

SecretsState SecretShelf::state() const
{
    return m_current->store->state();
}

QString SecretShelf::place() const
{
    return m_current->store->place();
}

void SecretShelf::moveTo(std::unique_ptr<SecretStore> next, const QStringList &names,
    const QHash<QString, QString> &known, const std::function<void(const Result<> &)> &done)
{
    if (m_next != nullptr) {
        done(failure(ErrorKind::Conflict, u"the secrets are being moved already"_s,
            u"Try again in a moment."_s));
        return;
    }
    const auto move = std::make_shared<Move>();
    m_next = &add(std::move(next));
    move->next = m_next;
    move->values = known;
    move->done = done;
    move->open = 1; // this loop, so that answers that come at once do not finish it
    const auto one = [this, move] {
        if (--move->open == 0) {
            writeAll(move);
        }
    };
    for (const QString &name : names) {
        if (known.contains(name)) {
            continue;
        }
        ++move->open;
        read(name, [move, one, name](const Result<QString> &value) {
            if (value) {
                move->values.insert(name, *value);
            }
            one();
        });
    }
    one();
}

void SecretShelf::writeAll(const std::shared_ptr<Move> &move)
{
    move->open = 1;
    const auto one = [this, move](const Result<> &written) {
        if (!written && move->outcome) {
            move->outcome = written;
        }
        if (--move->open == 0) {
            finishMove(move);
        }
    };
    for (auto it = move->values.cbegin(); it != move->values.cend(); ++it) {
        if (!it.value().isEmpty()) {
            ++move->open;
            move->next->store->write(it.key(), it.value(), counted<Result<>>(*move->next, one));
        }
    }
    one({});
}

void SecretShelf::finishMove(const std::shared_ptr<Move> &move)
{
    if (move->outcome) {
        m_current = move->next;
        Q_EMIT stateChanged(state());
    }
    m_next = nullptr;
    QMetaObject::invokeMethod(this, &SecretShelf::sweep, Qt::QueuedConnection);
    move->done(move->outcome);
}

} // namespace deskhand::settings
