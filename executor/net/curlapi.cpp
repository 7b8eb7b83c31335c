// SPDX-License-Identifier: Apache-2.0
#include "executor/net/curlapi_p.h"

#include <QLibrary>

#include <array>

// curl.h wraps some of these in type-checking macros; here the functions themselves are meant.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace deskhand::net {
namespace {

struct LibraryName
{
    const char *name;
    int version; // -1: none
};
// libcurl.so.4, libcurl.4.dylib; on Windows the file names of the official packages.
constexpr std::array kLibraryNames { LibraryName { "curl", 4 }, LibraryName { "libcurl-x64", -1 },
    LibraryName { "libcurl", -1 } };

template <typename Function> bool resolve(QLibrary &library, Function &function, const char *name)
{
    function = reinterpret_cast<Function>(library.resolve(name));
    return function != nullptr;
}

bool resolveAll(QLibrary &library, CurlApi &api)
{
    return resolve(library, api.globalInit, "curl_global_init")
        && resolve(library, api.versionInfo, "curl_version_info")
        && resolve(library, api.easyInit, "curl_easy_init")
        && resolve(library, api.easySetopt, "curl_easy_setopt")
        && resolve(library, api.easyGetinfo, "curl_easy_getinfo")
        && resolve(library, api.easyCleanup, "curl_easy_cleanup")
        && resolve(library, api.easyPause, "curl_easy_pause")
        && resolve(library, api.easyStrerror, "curl_easy_strerror")
        && resolve(library, api.slistAppend, "curl_slist_append")
        && resolve(library, api.slistFreeAll, "curl_slist_free_all")
        && resolve(library, api.multiInit, "curl_multi_init")
        && resolve(library, api.multiCleanup, "curl_multi_cleanup")
        && resolve(library, api.multiSetopt, "curl_multi_setopt")
        && resolve(library, api.multiAddHandle, "curl_multi_add_handle")
        && resolve(library, api.multiRemoveHandle, "curl_multi_remove_handle")
        && resolve(library, api.multiSocketAction, "curl_multi_socket_action")
        && resolve(library, api.multiAssign, "curl_multi_assign")
        && resolve(library, api.multiInfoRead, "curl_multi_info_read");
}

Result<CurlApi> loadOnce()
{
    QString problem;
    for (const LibraryName &candidate : kLibraryNames) {
        QLibrary library;
        const QString name = QString::fromLatin1(candidate.name);
        if (candidate.version >= 0) {
            library.setFileNameAndVersion(name, candidate.version);
        } else {
            library.setFileName(name);
        }
        if (!library.load()) {
            problem = problem.isEmpty() ? library.errorString() : problem;
            continue;
        }
        CurlApi api;
        if (!resolveAll(library, api)) {
            problem = QStringLiteral("%1 lacks a needed function").arg(library.fileName());
            continue;
        }
        if (api.globalInit(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
            problem = QStringLiteral("it could not be initialised");
            continue;
        }
        return api; // stays loaded for the life of the process
    }
    return failure(ErrorKind::Unavailable,
        QStringLiteral("the HTTP library libcurl cannot be used: %1").arg(problem),
        QStringLiteral("Install libcurl 7.85 or newer."));
}

} // namespace

Result<const CurlApi *> CurlApi::load()
{
    static const Result<CurlApi> loaded = loadOnce();
    if (!loaded) {
        return tl::unexpected<Error>(loaded.error());
    }
    return &*loaded;
}

} // namespace deskhand::net
