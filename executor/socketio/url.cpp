// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/url.h"

#include <QUrlQuery>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

Result<QUrl> engineUrl(const QString &url, const QString &path)
{
    const QString hint = u"use an address such as https://workspace.example.org"_s;
    QUrl result(url.trimmed(), QUrl::StrictMode);
    if (!result.isValid()) {
        return failure(
            ErrorKind::Usage, u"the address is not a URL: %1"_s.arg(result.errorString()), hint);
    }
    const QString scheme = result.scheme(); // QUrl has lowered its case
    if (scheme == u"http" || scheme == u"ws") {
        result.setScheme(u"ws"_s);
    } else if (scheme == u"https" || scheme == u"wss") {
        result.setScheme(u"wss"_s);
    } else {
        return failure(ErrorKind::Usage,
            u"the address must begin with http, https, ws or wss, not \"%1\""_s.arg(scheme), hint);
    }
    if (result.host().isEmpty()) {
        return failure(ErrorKind::Usage, u"the address names no host"_s, hint);
    }
    // "https://host//" is meant as "https://host".
    const QString given = result.path();
    const bool noPath = given.count(u'/') == given.size();
    const QString wanted = path.trimmed();
    if (!wanted.isEmpty()) {
        result.setPath(wanted.startsWith(u'/') ? wanted : u'/' + wanted);
    } else if (noPath) {
        result.setPath(u"/socket.io/"_s);
    }
    QUrlQuery query(result);
    query.removeAllQueryItems(u"EIO"_s);
    query.removeAllQueryItems(u"transport"_s);
    query.addQueryItem(u"EIO"_s, u"4"_s);
    query.addQueryItem(u"transport"_s, u"websocket"_s);
    result.setQuery(query);
    result.setFragment({});
    return result;
}

} // namespace deskhand::socketio
