// SPDX-License-Identifier: Apache-2.0
#include "executor/ownmodels.h"

#include "executor/common/ids.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/proxyroutes.h"

#include <algorithm>

namespace deskhand {
namespace {

using namespace Qt::StringLiterals;

bool hasName(const QList<settings::OwnModel> &models, const QString &name)
{
    return std::any_of(models.cbegin(), models.cend(),
        [&name](const settings::OwnModel &model) { return model.name == name; });
}

/// Both readers of a model's values must understand them: the one of tasks and the proxy's.
Result<> checkValues(const QJsonObject &values)
{
    if (const auto upstream = modelproxy::Upstream::fromJson(values); !upstream) {
        return tl::unexpected<Error>(upstream.error());
    }
    const auto config = engines::ModelConfig::fromJson(values);
    if (!config) {
        return tl::unexpected<Error>(config.error());
    }
    if (!config->has_value()) {
        return failure(ErrorKind::Usage, u"the model has no base_url"_s);
    }
    return {};
}

} // namespace

OwnModels::OwnModels(settings::SettingsStore &settings, modelproxy::ModelProxy &proxy,
    ProxyRoutes &routes, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_proxy(proxy)
    , m_routes(routes)
{ }

void OwnModels::setSecrets(settings::SecretStore *secrets)
{
    m_secrets = secrets;
}

Result<settings::OwnModel> OwnModels::find(const QString &name) const
{
    QStringList known;
    for (const settings::OwnModel &model : m_settings.current().models) {
        if (model.name == name) {
            return model;
        }
        known.append(model.name);
    }
    return failure(ErrorKind::Usage,
        u"there is no model \"%1\"; configured are: %2"_s.arg(
            name, known.isEmpty() ? u"none"_s : known.join(u", "_s)));
}

void OwnModels::withKey(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<QJsonObject> &)> &next)
{
    const auto use = [model, next](const QString &found) {
        QJsonObject values = model.values;
        if (!found.isEmpty()) {
            logging::addSecret(found);
            values.insert(u"api_key"_s, found);
        }
        next(values);
    };
    if (!key.isEmpty() || model.keySecret.isEmpty()) {
        use(key);
        return;
    }
    m_secrets->read(model.keySecret, [use, next, name = model.name](const Result<QString> &stored) {
        const QString where = u"the key of the model \"%1\""_s.arg(name);
        if (!stored) {
            next(tl::unexpected<Error>(stored.error().within(where)));
        } else if (stored->isEmpty()) {
            next(failure(ErrorKind::NotFound, where + u" is not in the store"_s,
                u"Give it again: deskhand-executor models key '%1' --key-file FILE"_s.arg(name)));
        } else {
            use(*stored);
        }
    });
}

void OwnModels::resolve(
    const QString &name, const std::function<void(const Result<engines::ModelConfig> &)> &done)
{
    const Result<settings::OwnModel> model = find(name);
    if (!model) {
        done(tl::unexpected<Error>(model.error()));
        return;
    }
    withKey(*model, {}, [done, name](const Result<QJsonObject> &values) {
        if (!values) {
            done(tl::unexpected<Error>(values.error()));
            return;
        }
        const auto config = engines::ModelConfig::fromJson(*values);
        if (!config || !config->has_value()) {
            const QString why = config ? u"it has no base_url"_s : config.error().message;
            done(
                failure(ErrorKind::Usage, u"the model \"%1\" cannot be used: %2"_s.arg(name, why)));
            return;
        }
        done(**config);
    });
}

void OwnModels::list(const std::function<void(const Result<QList<OwnModelState>> &)> &done)
{
    struct Collected
    {
        QList<OwnModelState> states;
        qsizetype open = 0;
    };
    const auto collected = std::make_shared<Collected>();
    const settings::ExecutorSettings settings = m_settings.current();
    for (const settings::OwnModel &model : settings.models) {
        collected->states.append({ model, model.name == settings.defaultModel });
    }
    collected->open = 1; // this loop, so that answers that come at once do not finish it
    const auto one = [collected, done] {
        if (--collected->open == 0) {
            done(collected->states);
        }
    };
    for (qsizetype i = 0; i < settings.models.size(); ++i) {
        if (settings.models.at(i).keySecret.isEmpty()) {
            continue;
        }
        ++collected->open;
        m_secrets->read(
            settings.models.at(i).keySecret, [collected, one, i](const Result<QString> &key) {
                using Key = OwnModelState::Key;
                collected->states[i].key = !key ? Key::Unreadable
                    : key->isEmpty()            ? Key::Missing
                                                : Key::Stored;
                one();
            });
    }
    one();
}

void OwnModels::add(const settings::OwnModel &model, const QString &key, const Executor::Done &done)
{
    logging::addSecret(key);
    if (hasName(m_settings.current().models, model.name)) {
        done(failure(ErrorKind::Conflict, u"there is a model \"%1\" already"_s.arg(model.name),
            u"Choose another name, or remove that one first."_s));
        return;
    }
    if (const Result<> usable = checkValues(model.values); !usable) {
        done(usable);
        return;
    }
    settings::OwnModel entry = model;
    entry.keySecret = key.isEmpty() ? QString() : u"model-"_s + randomHex(8);
    settings::ExecutorSettings wanted = m_settings.current();
    wanted.models.append(entry);
    if (const Result<> allowed = settings::SettingsStore::check(wanted); !allowed) {
        done(allowed);
        return;
    }
    if (key.isEmpty()) {
        store(entry, done);
        return;
    }
    // The key first: whoever finds the model finds its key.
    m_secrets->write(entry.keySecret, key, [this, entry, done](const Result<> &written) {
        if (written) {
            store(entry, done);
        } else {
            done(written);
        }
    });
}

void OwnModels::store(const settings::OwnModel &model, const Executor::Done &done)
{
    // Read again: they may have changed while the key was written.
    settings::ExecutorSettings settings = m_settings.current();
    settings.models.append(model);
    const Result<> stored = m_settings.update(settings);
    if (!stored && stored.error().kind == ErrorKind::Usage) {
        removeKey(model.keySecret, [done, stored](const Result<> & /*removed*/) { done(stored); });
        return;
    }
    done(stored);
}

void OwnModels::replaceKey(const QString &name, const QString &key, const Executor::Done &done)
{
    logging::addSecret(key);
    const Result<settings::OwnModel> model = find(name);
    if (!model) {
        done(tl::unexpected<Error>(model.error()));
        return;
    }
    if (key.isEmpty()) {
        done(failure(ErrorKind::Usage, u"the new key is empty"_s));
        return;
    }
    const bool fresh = model->keySecret.isEmpty(); // it needed none so far
    const QString secret = fresh ? u"model-"_s + randomHex(8) : model->keySecret;
    m_secrets->write(secret, key, [this, name, secret, fresh, done](const Result<> &written) {
        if (!written || !fresh) {
            done(written);
            return;
        }
        settings::ExecutorSettings settings = m_settings.current();
        for (settings::OwnModel &known : settings.models) {
            if (known.name == name) {
                known.keySecret = secret;
            }
        }
        done(m_settings.update(settings));
    });
}

void OwnModels::removeKey(const QString &keySecret, const Executor::Done &done)
{
    if (keySecret.isEmpty()) {
        done({});
        return;
    }
    m_secrets->remove(keySecret, done);
}

void OwnModels::remove(const QString &name, const Executor::Done &done)
{
    const Result<settings::OwnModel> model = find(name);
    if (!model) {
        done(tl::unexpected<Error>(model.error()));
        return;
    }
    settings::ExecutorSettings settings = m_settings.current();
    settings.models.removeIf(
        [&name](const settings::OwnModel &known) { return known.name == name; });
    if (settings.defaultModel == name) {
        settings.defaultModel.clear();
    }
    if (const Result<> stored = m_settings.update(settings); !stored) {
        done(stored);
        return;
    }
    removeKey(model->keySecret, [done](const Result<> &removed) {
        done(removed.map_error([](const Error &error) {
            return error.within(u"the model is gone, but its key is still in the store"_s);
        }));
    });
}

void OwnModels::setDefault(const QString &name, const Executor::Done &done)
{
    if (!name.isEmpty()) {
        if (const Result<settings::OwnModel> model = find(name); !model) {
            done(tl::unexpected<Error>(model.error()));
            return;
        }
    }
    settings::ExecutorSettings settings = m_settings.current();
    settings.defaultModel = name;
    done(m_settings.update(settings));
}

void OwnModels::withUpstream(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<modelproxy::Upstream> &)> &next)
{
    withKey(model, key, [this, next](const Result<QJsonObject> &values) {
        if (!values) {
            next(tl::unexpected<Error>(values.error()));
            return;
        }
        if (const Result<> started = m_routes.ensureStarted(); !started) {
            next(tl::unexpected<Error>(started.error()));
            return;
        }
        next(modelproxy::Upstream::fromJson(*values));
    });
}

void OwnModels::listModels(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done)
{
    withUpstream(model, key, [this, done](const Result<modelproxy::Upstream> &upstream) {
        if (upstream) {
            m_proxy.listModels(*upstream, this, done);
        } else {
            done(tl::unexpected<Error>(upstream.error()));
        }
    });
}

void OwnModels::testModel(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
{
    withUpstream(model, key, [this, done](const Result<modelproxy::Upstream> &upstream) {
        if (upstream) {
            m_proxy.testModel(*upstream, this, done);
        } else {
            done(tl::unexpected<Error>(upstream.error()));
        }
    });
}

} // namespace deskhand
