// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <curl/curl.h>

namespace deskhand::net {

/// The functions of libcurl that are used here, found in the shared library when the first request
/// is made. Linking it would cost every start of the program some thirty libraries.
struct CurlApi
{
    decltype(&::curl_global_init) globalInit = nullptr;
    decltype(&::curl_version_info) versionInfo = nullptr;
    decltype(&::curl_easy_init) easyInit = nullptr;
    decltype(&::curl_easy_setopt) easySetopt = nullptr;
    decltype(&::curl_easy_getinfo) easyGetinfo = nullptr;
    decltype(&::curl_easy_cleanup) easyCleanup = nullptr;
    decltype(&::curl_easy_pause) easyPause = nullptr;
    decltype(&::curl_easy_strerror) easyStrerror = nullptr;
    decltype(&::curl_slist_append) slistAppend = nullptr;
    decltype(&::curl_slist_free_all) slistFreeAll = nullptr;
    decltype(&::curl_multi_init) multiInit = nullptr;
    decltype(&::curl_multi_cleanup) multiCleanup = nullptr;
    decltype(&::curl_multi_setopt) multiSetopt = nullptr;
    decltype(&::curl_multi_add_handle) multiAddHandle = nullptr;
    decltype(&::curl_multi_remove_handle) multiRemoveHandle = nullptr;
    decltype(&::curl_multi_socket_action) multiSocketAction = nullptr;
    decltype(&::curl_multi_assign) multiAssign = nullptr;
    decltype(&::curl_multi_info_read) multiInfoRead = nullptr;

    /// Loads the library at the first call; later calls repeat the outcome. Thread-safe.
    [[nodiscard]] static Result<const CurlApi *> load();
};

} // namespace deskhand::net
