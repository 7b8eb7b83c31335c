// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"
#include "executor/control/params.h"
#include "executor/control/protocol.h"
#include "executor/control/session.h"

#include <QDate>
#include <QJsonArray>
#include <QPointer>

namespace deskhand::control {

// The part of a session that is about the owner's models.

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxKeyLength = 16 * 1024;

template <typename T> QJsonArray toArray(const QList<T> &values)
{
    QJsonArray array;
    for (const T &value : values) {
        array.append(toJson(value));
    }
    return array;
}

} // namespace

void Session::listModels(const Id &id, const QJsonObject & /*params*/)
{
    m_subject.ownModels(
        [self = QPointer<Session>(this), id](const Result<QList<OwnModelState>> &models) {
            if (!self) {
                return;
            }
            if (models) {
                self->answer(id, { { u"models"_s, toArray(*models) } });
            } else {
                self->refuse(id, models.error());
            }
        });
}

void Session::testModel(const Id &id, const QJsonObject &params)
{
    const Result<QString> name = requireId(params, u"name");
    if (!name) {
        refuse(id, usage(name.error()));
        return;
    }
    const auto tested
        = [self = QPointer<Session>(this), id](const Result<modelproxy::ModelTestReport> &report) {
              if (!self) {
                  return;
              }
              if (report) {
                  self->answer(id, toJson(*report));
              } else {
                  self->refuse(id, report.error());
              }
          };
    m_subject.ownModels([self = QPointer<Session>(this), id, name = *name, tested](
                            const Result<QList<OwnModelState>> &models) {
        if (!self) {
            return;
        }
        if (!models) {
            self->refuse(id, models.error());
            return;
        }
        QStringList known;
        for (const OwnModelState &state : *models) {
            if (state.model.name == name) {
                self->m_subject.testModel(state.model, tested);
                return;
            }
            known.append(state.model.name);
        }
        self->refuse(id,
            usage(u"there is no model \"%1\"; configured are: %2"_s.arg(
                name, known.isEmpty() ? u"none"_s : known.join(u", "_s))));
    });
}

void Session::addModel(const Id &id, const QJsonObject &params)
{
    const Result<QString> name = requireId(params, u"name");
    const Result<QString> key = textOf(params, u"key", kMaxKeyLength);
    const auto values = json::requireObject(params, u"values");
    if (!name || !key || !values) {
        refuse(id, usage(!name ? name.error() : !key ? key.error() : values.error()));
        return;
    }
    settings::OwnModel model;
    model.name = *name;
    model.values = *values;
    m_subject.addOwnModel(
        model, *key, [self = QPointer<Session>(this), id](const Result<> &outcome) {
            if (self) {
                self->answerLater(id, outcome);
            }
        });
}

void Session::replaceModelKey(const Id &id, const QJsonObject &params)
{
    const Result<QString> name = requireId(params, u"name");
    const Result<QString> key = textOf(params, u"key", kMaxKeyLength);
    if (!name || !key) {
        refuse(id, usage(!name ? name.error() : key.error()));
        return;
    }
    m_subject.replaceModelKey(
        *name, *key, [self = QPointer<Session>(this), id](const Result<> &outcome) {
            if (self) {
                self->answerLater(id, outcome);
            }
        });
}

void Session::removeModel(const Id &id, const QJsonObject &params)
{
    const Result<QString> name = requireId(params, u"name");
    if (!name) {
        refuse(id, usage(name.error()));
        return;
    }
    m_subject.removeOwnModel(*name, [self = QPointer<Session>(this), id](const Result<> &outcome) {
        if (self) {
            self->answerLater(id, outcome);
        }
    });
}

void Session::setDefaultModel(const Id &id, const QJsonObject &params)
{
    const Result<QString> name = textOf(params, u"name", kMaxIdLength);
    if (!name) {
        refuse(id, usage(name.error()));
        return;
    }
    m_subject.setDefaultModel(*name, [self = QPointer<Session>(this), id](const Result<> &outcome) {
        if (self) {
            self->answerLater(id, outcome);
        }
    });
}

void Session::modelUsage(const Id &id, const QJsonObject &params)
{
    const Result<QString> text = json::requireString(params, u"since");
    const QDate since = QDate::fromString(text.value_or(QString()), Qt::ISODate);
    if (!since.isValid()) {
        refuse(id, usage(u"\"since\" must be a day like 2026-01-31"_s));
        return;
    }
    m_subject.modelUsage(
        since, [self = QPointer<Session>(this), id](const Result<QList<tasks::UsageRow>> &rows) {
            if (!self) {
                return;
            }
            if (rows) {
                self->answer(id, { { u"usage"_s, toArray(*rows) } });
            } else {
                self->refuse(id, rows.error());
            }
        });
}

} // namespace deskhand::control
