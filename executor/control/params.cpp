// SPDX-License-Identifier: Apache-2.0
#include "executor/control/params.h"

#include "executor/common/jsonreader.h"

namespace deskhand::control {

using namespace Qt::StringLiterals;

Error usage(const Error &cause)
{
    return Error { ErrorKind::Usage, cause.message, cause.hint };
}

Error usage(const QString &message)
{
    return Error { ErrorKind::Usage, message, {} };
}

Result<QString> requireId(const QJsonObject &params, QStringView key)
{
    Result<QString> id = json::requireString(params, key);
    if (id && (id->isEmpty() || id->size() > kMaxIdLength)) {
        return tl::unexpected<Error>(
            usage(u"\"%1\" must have 1 to %2 characters"_s.arg(key).arg(kMaxIdLength)));
    }
    return id;
}

Result<QString> textOf(const QJsonObject &params, QStringView key, qsizetype maxLength)
{
    const auto text = json::optionalString(params, key);
    if (!text) {
        return tl::unexpected<Error>(text.error());
    }
    const QString value = text->value_or(QString());
    if (value.size() > maxLength) {
        return tl::unexpected<Error>(
            usage(u"\"%1\" may have at most %2 characters"_s.arg(key).arg(maxLength)));
    }
    return value;
}

} // namespace deskhand::control
