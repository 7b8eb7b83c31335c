<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>CoreText</name>
    <message>
        <source>the engine is being stopped</source>
        <translation>引擎正在停止</translation>
    </message>
    <message>
        <source>Look at the log, then try again in a minute.</source>
        <translation>请查看日志，一分钟后再试。</translation>
    </message>
    <message>
        <source>codex sent %1 unreadable lines in a row</source>
        <translation>Codex 连续发来 %1 行无法读取的内容</translation>
    </message>
    <message>
        <source>codex did not complete the handshake: %1</source>
        <translation>Codex 没有完成握手：%1</translation>
    </message>
    <message>
        <source>codex ended: %1</source>
        <translation>Codex 已结束：%1</translation>
    </message>
    <message>
        <source>codex ended while it was started from %1: %2</source>
        <translation>从 %1 启动 Codex 时它已结束：%2</translation>
    </message>
    <message>
        <source>codex ended while it was started from %1: %2. It said: %3</source>
        <translation>从 %1 启动 Codex 时它已结束：%2。它的输出：%3</translation>
    </message>
    <message>
        <source>codex has ended %1 times within a minute. The last time: %2</source>
        <translation>Codex 在一分钟内结束了 %1 次。最后一次：%2</translation>
    </message>
    <message>
        <source>Run &quot;deskhand-executor doctor&quot; to see why.</source>
        <translation>运行“deskhand-executor doctor”可查看原因。</translation>
    </message>
    <message>
        <source>%1 is not an executable file</source>
        <translation>%1 不是可执行文件</translation>
    </message>
    <message>
        <source>the setting of the engine program</source>
        <translation>引擎程序的设置</translation>
    </message>
    <message>
        <source>%1 is a script that needs &quot;%2&quot;, which is not on the PATH (%3)</source>
        <translation>%1 是需要“%2”的脚本，而 PATH（%3）中没有它</translation>
    </message>
    <message>
        <source>Install %1, or set CODEX_BINARY_PATH to the native program.</source>
        <translation>请安装 %1，或把 CODEX_BINARY_PATH 设为原生程序。</translation>
    </message>
    <message>
        <source>%1 names no usable program: %2</source>
        <translation>%1指定的程序无法使用：%2</translation>
    </message>
    <message>
        <source>Correct %1 or remove it.</source>
        <translation>请更正%1，或将其删除。</translation>
    </message>
    <message>
        <source>npm folder %1</source>
        <translation>npm 目录 %1</translation>
    </message>
    <message>
        <source>npm folders (%1)</source>
        <translation>npm 目录（%1）</translation>
    </message>
    <message>
        <source>PATH of the login shell</source>
        <translation>登录 shell 的 PATH</translation>
    </message>
    <message>
        <source>Install the missing program, or set CODEX_BINARY_PATH to the native codex program.</source>
        <translation>请安装缺少的程序，或把 CODEX_BINARY_PATH 设为原生 Codex 程序。</translation>
    </message>
    <message>
        <source>the codex program was not found; looked at CODEX_BINARY_PATH and CODEX_BIN (not set), %1</source>
        <translation>未找到 Codex 程序。已查找 CODEX_BINARY_PATH 和 CODEX_BIN（未设置）、%1</translation>
    </message>
    <message>
        <source>Install it with &quot;npm install -g @openai/codex&quot; or set CODEX_BINARY_PATH.</source>
        <translation>请用“npm install -g @openai/codex”安装它，或设置 CODEX_BINARY_PATH。</translation>
    </message>
    <message>
        <source>Stopped by the owner&apos;s decision.</source>
        <translation>已按你的决定停止。</translation>
    </message>
    <message>
        <source>it did not stop in time</source>
        <translation>它没有及时停止</translation>
    </message>
    <message>
        <source>it was restarted by the owner</source>
        <translation>你重新启动了它</translation>
    </message>
    <message>
        <source>The engine is being stopped</source>
        <translation>引擎正在停止</translation>
    </message>
    <message>
        <source>&quot;%1&quot; cannot be the name of an engine home</source>
        <translation>“%1”不能用作引擎目录的名称</translation>
    </message>
    <message>
        <source>Use letters, digits, dots, dashes and underscores.</source>
        <translation>请使用字母、数字、点、连字符和下划线。</translation>
    </message>
    <message>
        <source>The working directory %1 does not exist</source>
        <translation>工作目录 %1 不存在</translation>
    </message>
    <message>
        <source>%1 cannot be seen behind the engine&apos;s wall</source>
        <translation>在引擎的隔离墙内看不到 %1</translation>
    </message>
    <message>
        <source>Move it to another place, or switch the engine&apos;s wall off.</source>
        <translation>请把它移到其他位置，或关闭引擎的隔离墙。</translation>
    </message>
    <message>
        <source>the turn is over</source>
        <translation>本轮已结束</translation>
    </message>
    <message>
        <source>the engine has exited</source>
        <translation>引擎已退出</translation>
    </message>
    <message>
        <source>Deskhand is stopping.</source>
        <translation>Deskhand 正在停止。</translation>
    </message>
    <message>
        <source>the engine&apos;s folder %1 cannot be created</source>
        <translation>无法创建引擎的目录 %1</translation>
    </message>
    <message>
        <source>Check the permissions and the free space of the folder above.</source>
        <translation>请检查上级目录的权限和可用空间。</translation>
    </message>
    <message>
        <source>the engine&apos;s folder %1 is not writable</source>
        <translation>引擎的目录 %1 不可写</translation>
    </message>
    <message>
        <source>Check who owns it.</source>
        <translation>请检查它的所有者。</translation>
    </message>
    <message>
        <source>the engine&apos;s folder %1 cannot be locked</source>
        <translation>无法锁定引擎的目录 %1</translation>
    </message>
    <message>
        <source>Check the permissions of the folder.</source>
        <translation>请检查该目录的权限。</translation>
    </message>
    <message>
        <source>the engine&apos;s folder %1 is in use by %2 (process %3)</source>
        <translation>引擎的目录 %1 正被 %2（进程 %3）使用</translation>
    </message>
    <message>
        <source>Stop that program first.</source>
        <translation>请先停止该程序。</translation>
    </message>
    <message>
        <source>writing the model&apos;s catalog</source>
        <translation>写入模型目录表时</translation>
    </message>
    <message>
        <source>The model provider %1 could not be reached. Check the network, the proxy and the model&apos;s address. (%2)</source>
        <translation>无法连接模型服务商 %1。请检查网络、代理和模型地址。（%2）</translation>
    </message>
    <message>
        <source>The engine gave no reason.</source>
        <translation>引擎没有给出原因。</translation>
    </message>
    <message>
        <source>The conversation is too long for this model. Start a new task, or use a model with a larger context. (%1)</source>
        <translation>对话对此模型来说太长。请开始新任务，或使用上下文更大的模型。（%1）</translation>
    </message>
    <message>
        <source>The model account has no quota left. Add credit or choose another model. (%1)</source>
        <translation>模型账户的额度已用完。请充值，或选择其他模型。（%1）</translation>
    </message>
    <message>
        <source>The model provider is overloaded. Try again in a few minutes. (%1)</source>
        <translation>模型服务商负载过高。请过几分钟再试。（%1）</translation>
    </message>
    <message>
        <source>The model provider limits the number of requests. Try again later. (%1)</source>
        <translation>模型服务商限制了请求次数。请稍后重试。（%1）</translation>
    </message>
    <message>
        <source>The engine&apos;s own account is not signed in or was refused. Sign in again, or set a model for this device. (%1)</source>
        <translation>引擎自己的账户没有登录或被拒绝。请重新登录，或为此设备设置模型。（%1）</translation>
    </message>
    <message>
        <source>The model provider refuses the key. Check the key of the model. (%1)</source>
        <translation>模型服务商拒绝了密钥。请检查模型的密钥。（%1）</translation>
    </message>
    <message>
        <source>The model provider answers with an internal error. Try again later. (%1)</source>
        <translation>模型服务商返回了内部错误。请稍后重试。（%1）</translation>
    </message>
    <message>
        <source>The engine&apos;s sandbox failed: %1</source>
        <translation>引擎的沙箱出错：%1</translation>
    </message>
    <message>
        <source>The model stopped before it was done: %1</source>
        <translation>模型没有完成就停止了：%1</translation>
    </message>
    <message>
        <source>The connection to the model broke off and did not recover. Check the network or the model address. (%1)</source>
        <translation>与模型的连接已中断且没有恢复。请检查网络或模型地址。（%1）</translation>
    </message>
    <message>
        <source>The model provider refused the request: %1</source>
        <translation>模型服务商拒绝了请求：%1</translation>
    </message>
    <message>
        <source>%1, HTTP %2: %3</source>
        <translation>%1，HTTP %2：%3</translation>
    </message>
    <message>
        <source>Change %1 files</source>
        <translation>修改 %1 个文件</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>修改 %1</translation>
    </message>
    <message>
        <source>Conversation shortened to make room</source>
        <translation>已压缩对话以腾出空间</translation>
    </message>
    <message>
        <source>The engine asked for something that is not supported (%1); it was told so.</source>
        <translation>引擎请求了不支持的操作（%1），已告知它。</translation>
    </message>
    <message>
        <source>A tool server asked for input of a kind that cannot be shown; it was declined.</source>
        <translation>工具服务器请求的输入无法显示，已拒绝。</translation>
    </message>
    <message>
        <source>There is no request %1.</source>
        <translation>没有请求 %1。</translation>
    </message>
    <message>
        <source>Request %1 is closed: %2.</source>
        <translation>请求 %1 已关闭：%2。</translation>
    </message>
    <message>
        <source>Request %1 is already answered.</source>
        <translation>请求 %1 已经答复过。</translation>
    </message>
    <message>
        <source>Request %1 cannot be answered with &quot;%2&quot;.</source>
        <translation>请求 %1 不能用“%2”答复。</translation>
    </message>
    <message>
        <source>Request %1 is void: the engine has exited.</source>
        <translation>请求 %1 已失效：引擎已退出。</translation>
    </message>
    <message>
        <source>its answer was not confirmed by the engine</source>
        <translation>引擎没有确认对它的答复</translation>
    </message>
    <message>
        <source>The engine has not confirmed the answer to request %1 within %2 seconds. Look at the task to see whether it went on.</source>
        <translation>引擎没有在 %2 秒内确认对请求 %1 的答复。请查看任务是否已继续。</translation>
    </message>
    <message>
        <source>the engine does not take the answer</source>
        <translation>引擎不接受答复</translation>
    </message>
    <message>
        <source>The engine did not take the answer to request %1.</source>
        <translation>引擎没有接受对请求 %1 的答复。</translation>
    </message>
    <message>
        <source>it was answered</source>
        <translation>已经答复</translation>
    </message>
    <message>
        <source>Request %1 is void: %2.</source>
        <translation>请求 %1 已失效：%2。</translation>
    </message>
    <message>
        <source>the engine no longer waits for it</source>
        <translation>引擎不再等待它</translation>
    </message>
    <message>
        <source>everything that matches %1</source>
        <translation>与 %1 匹配的所有内容</translation>
    </message>
    <message>
        <source>the whole file system</source>
        <translation>整个文件系统</translation>
    </message>
    <message>
        <source>the system&apos;s basic folders</source>
        <translation>系统基本目录</translation>
    </message>
    <message>
        <source>the work folders</source>
        <translation>工作目录</translation>
    </message>
    <message>
        <source>the temporary folder</source>
        <translation>临时目录</translation>
    </message>
    <message>
        <source>%1, below %2</source>
        <translation>%1（其下的 %2）</translation>
    </message>
    <message>
        <source>Read %1</source>
        <translation>读取：%1</translation>
    </message>
    <message>
        <source>Write to %1</source>
        <translation>写入：%1</translation>
    </message>
    <message>
        <source>No access to %1</source>
        <translation>禁止访问：%1</translation>
    </message>
    <message>
        <source>Use the network</source>
        <translation>使用网络</translation>
    </message>
    <message>
        <source>the model of the task has no model_id</source>
        <translation>任务的模型没有 model_id</translation>
    </message>
    <message>
        <source>the model proxy does not run, so the task&apos;s model cannot be used</source>
        <translation>模型代理没有运行，因此无法使用任务的模型</translation>
    </message>
    <message>
        <source>This device has no model of its own and Codex is not signed in. Add a model (&quot;deskhand-executor models add&quot;, or Settings, Models), or sign Codex in: CODEX_HOME=&quot;%1&quot; codex login</source>
        <translation>此设备没有自己的模型，Codex 也没有登录。请添加模型（“deskhand-executor models add”或“设置”中的“模型”），或登录 Codex：CODEX_HOME=&quot;%1&quot; codex login</translation>
    </message>
    <message>
        <source>The turn before this one could not be stopped and may still run. Restart the engine, or start a new task.</source>
        <translation>上一轮无法停止，可能仍在运行。请重新启动引擎，或开始新任务。</translation>
    </message>
    <message>
        <source>codex opened a conversation without an id</source>
        <translation>Codex 打开的对话没有编号</translation>
    </message>
    <message>
        <source>codex opened the conversation with the model provider &quot;%1&quot;, which is not the one of the task</source>
        <translation>Codex 用模型服务商“%1”打开了对话，而这不是任务的服务商</translation>
    </message>
    <message>
        <source>codex %1 opened the conversation with more access (%2) than the task may have (%3). Install a newer version of codex.</source>
        <translation>Codex %1 打开对话时的权限（%2）超过了任务允许的权限（%3）。请安装更新版本的 Codex。</translation>
    </message>
    <message>
        <source>The earlier conversation of this task is no longer stored here; a new one was begun.</source>
        <translation>此任务先前的对话已不在本机保存，已开始新的对话。</translation>
    </message>
    <message>
        <source>Another program has this conversation open. Close it there, then try again.</source>
        <translation>另一个程序打开了此对话。请在那里关闭它，然后重试。</translation>
    </message>
    <message>
        <source>codex could not open the conversation: %1</source>
        <translation>Codex 无法打开对话：%1</translation>
    </message>
    <message>
        <source>codex did not take the prompt: %1</source>
        <translation>Codex 没有接受提示词：%1</translation>
    </message>
    <message>
        <source>The prompt could not be handed to codex: %1</source>
        <translation>无法把提示词交给 Codex：%1</translation>
    </message>
    <message>
        <source>The engine stopped the turn.</source>
        <translation>引擎停止了本轮。</translation>
    </message>
    <message>
        <source>The reason given with the decision did not reach the model: %1</source>
        <translation>随决定给出的原因没有送达模型：%1</translation>
    </message>
    <message>
        <source>a turn could not be stopped</source>
        <translation>有一轮无法停止</translation>
    </message>
    <message>
        <source>codex showed no sign of work within %1 seconds. The turn was stopped; nothing was sent again. Look at the model&apos;s address and the log, then try again.</source>
        <translation>Codex 在 %1 秒内没有任何进展。本轮已停止，没有重新发送任何内容。请查看模型地址和日志，然后重试。</translation>
    </message>
    <message>
        <source>The model could not be reached for more than %1 seconds: %2. Check the network, the proxy and the model&apos;s address.</source>
        <translation>超过 %1 秒无法连接模型：%2。请检查网络、代理和模型地址。</translation>
    </message>
    <message>
        <source>codex does not answer any more</source>
        <translation>Codex 不再响应</translation>
    </message>
    <message>
        <source>Still working; nothing was heard for a while.</source>
        <translation>仍在工作，已有一段时间没有消息。</translation>
    </message>
    <message>
        <source>Still working: %1</source>
        <translation>仍在工作：%1</translation>
    </message>
    <message>
        <source>%1. The prompt was not sent again; what was done so far stays. Continue with a new turn.</source>
        <translation>%1。提示词没有重新发送，已完成的部分会保留。可以用新的一轮继续。</translation>
    </message>
    <message>
        <source>The engine switched to the model %1.</source>
        <translation>引擎切换到了模型 %1。</translation>
    </message>
    <message>
        <source>The conversation was shortened to make room.</source>
        <translation>已压缩对话以腾出空间。</translation>
    </message>
    <message>
        <source>The sandbox cannot start on this computer, so commands fail: %1. Requests to run them outside of it are declined in this turn. Allow unprivileged user namespaces, or give the task full access.</source>
        <translation>沙箱无法在此电脑上启动，因此命令会失败：%1。本轮中，在沙箱外运行命令的请求会被拒绝。请允许非特权用户命名空间，或为任务授予完全访问权限。</translation>
    </message>
    <message>
        <source>%1: every entry must be a string</source>
        <translation>%1：每一项都必须是字符串</translation>
    </message>
    <message>
        <source>%1: every entry must be an object</source>
        <translation>%1：每一项都必须是对象</translation>
    </message>
    <message>
        <source>not tried</source>
        <translation>尚未尝试</translation>
    </message>
    <message>
        <source>the other side does not read; its queue is full</source>
        <translation>对方没有读取，其队列已满</translation>
    </message>
    <message>
        <source>the connection is closed</source>
        <translation>连接已关闭</translation>
    </message>
    <message>
        <source>no answer to %1 within %2 ms</source>
        <translation>%1 在 %2 毫秒内没有应答</translation>
    </message>
    <message>
        <source>id must be a text or a number</source>
        <translation>id 必须是文本或数字</translation>
    </message>
    <message>
        <source>params must be an object</source>
        <translation>params 必须是对象</translation>
    </message>
    <message>
        <source>refused without a reason</source>
        <translation>被拒绝，没有给出原因</translation>
    </message>
    <message>
        <source>the connection was closed</source>
        <translation>连接被关闭</translation>
    </message>
    <message>
        <source>it did not report ready within %1 ms</source>
        <translation>它在 %1 毫秒内没有报告就绪</translation>
    </message>
    <message>
        <source>it ended with status %1 before it was ready</source>
        <translation>它在就绪之前以状态 %1 结束</translation>
    </message>
    <message>
        <source>killed by signal %1</source>
        <translation>被信号 %1 终止</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>退出代码 %1</translation>
    </message>
    <message>
        <source>%1 could not be started: %2</source>
        <translation>无法启动 %1：%2</translation>
    </message>
    <message>
        <source>Check that the file is a program for this computer.</source>
        <translation>请检查该文件是否是适用于此电脑的程序。</translation>
    </message>
    <message>
        <source>close other tasks or raise the limit of open files</source>
        <translation>请关闭其他任务，或提高打开文件数的上限</translation>
    </message>
    <message>
        <source>no terminal could be opened</source>
        <translation>无法打开终端</translation>
    </message>
    <message>
        <source>no pipe could be made</source>
        <translation>无法创建管道</translation>
    </message>
    <message>
        <source>no socket could be made</source>
        <translation>无法创建套接字</translation>
    </message>
    <message>
        <source>the child&apos;s descriptors could not be set up</source>
        <translation>无法设置子进程的描述符</translation>
    </message>
    <message>
        <source>No server address is set.</source>
        <translation>没有设置服务器地址。</translation>
    </message>
    <message>
        <source>No sign-in is stored.</source>
        <translation>没有保存登录信息。</translation>
    </message>
    <message>
        <source>This device was connected to another server.</source>
        <translation>此设备已连接到另一个服务器。</translation>
    </message>
    <message>
        <source>there is no link</source>
        <translation>没有连接</translation>
    </message>
    <message>
        <source>The server did not answer the registration.</source>
        <translation>服务器没有响应注册。</translation>
    </message>
    <message>
        <source>The server has not answered two heartbeats; connecting again.</source>
        <translation>服务器有两次心跳没有响应，正在重新连接。</translation>
    </message>
    <message>
        <source>The server does not accept the sign-in (%1). Sign in again.</source>
        <translation>服务器不接受登录信息（%1）。请重新登录。</translation>
    </message>
    <message>
        <source>The server asks for a pause: too many connection attempts.</source>
        <translation>连接尝试过多，服务器要求暂停。</translation>
    </message>
    <message>
        <source>This server does not take devices. Check the address.</source>
        <translation>此服务器不接受设备。请检查地址。</translation>
    </message>
    <message>
        <source>The server refused the connection.</source>
        <translation>服务器拒绝了连接。</translation>
    </message>
    <message>
        <source>The server refused the connection: %1.</source>
        <translation>服务器拒绝了连接：%1。</translation>
    </message>
    <message>
        <source>no reason was given</source>
        <translation>没有给出原因</translation>
    </message>
    <message>
        <source>The server did not register this device: %1.</source>
        <translation>服务器没有注册此设备：%1。</translation>
    </message>
    <message>
        <source>it did not say that it did</source>
        <translation>服务器没有确认注册</translation>
    </message>
    <message>
        <source>Another program is online with this device identity.</source>
        <translation>另一个程序正在使用此设备标识。</translation>
    </message>
    <message>
        <source>The server refused a heartbeat: %1.</source>
        <translation>服务器拒绝了心跳：%1。</translation>
    </message>
    <message>
        <source>The server did not acknowledge a message; connecting again.</source>
        <translation>服务器没有确认一条消息，正在重新连接。</translation>
    </message>
    <message>
        <source>The server has forgotten this device; connecting again.</source>
        <translation>服务器已不认识此设备，正在重新连接。</translation>
    </message>
    <message>
        <source>the event asks for no answer</source>
        <translation>该事件不需要应答</translation>
    </message>
    <message>
        <source>the event was already answered</source>
        <translation>该事件已经应答过</translation>
    </message>
    <message>
        <source>the connection that asked is gone</source>
        <translation>提出请求的连接已不存在</translation>
    </message>
    <message>
        <source>no namespace to connect to</source>
        <translation>没有要连接的命名空间</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no namespace: it starts with &apos;/&apos; and has no comma</source>
        <translation>“%1”不是命名空间：它应以“/”开头且不含逗号</translation>
    </message>
    <message>
        <source>the client is already started</source>
        <translation>客户端已经启动</translation>
    </message>
    <message>
        <source>connecting to %1</source>
        <translation>正在连接 %1</translation>
    </message>
    <message>
        <source>a packet for a namespace that was not asked for</source>
        <translation>收到未请求的命名空间的数据包</translation>
    </message>
    <message>
        <source>an answer to id %1, for which no event waits</source>
        <translation>收到对编号 %1 的应答，但没有事件在等待它</translation>
    </message>
    <message>
        <source>CONNECT for a namespace that does not wait for it</source>
        <translation>收到不在等待的命名空间的 CONNECT</translation>
    </message>
    <message>
        <source>the server answered CONNECT without a session id; it may speak an older Socket.IO</source>
        <translation>服务器回应 CONNECT 时没有给出会话编号，它可能使用较旧的 Socket.IO</translation>
    </message>
    <message>
        <source>the server disconnected the namespace %1</source>
        <translation>服务器断开了命名空间 %1</translation>
    </message>
    <message>
        <source>DISCONNECT for a namespace that is not connected</source>
        <translation>收到未连接的命名空间的 DISCONNECT</translation>
    </message>
    <message>
        <source>CONNECT_ERROR for a namespace that does not wait for it</source>
        <translation>收到不在等待的命名空间的 CONNECT_ERROR</translation>
    </message>
    <message>
        <source>the server refused the namespace %1: %2</source>
        <translation>服务器拒绝了命名空间 %1：%2</translation>
    </message>
    <message>
        <source>an event for a namespace that is not connected</source>
        <translation>收到未连接的命名空间的事件</translation>
    </message>
    <message>
        <source>no answer to CONNECT within %1 ms</source>
        <translation>CONNECT 在 %1 毫秒内没有回应</translation>
    </message>
    <message>
        <source>the client was stopped before the answer came</source>
        <translation>客户端在收到应答之前已停止</translation>
    </message>
    <message>
        <source>the connection was lost before the answer came: %1</source>
        <translation>在收到应答之前连接已断开：%1</translation>
    </message>
    <message>
        <source>the namespace %1 is not connected</source>
        <translation>命名空间 %1 没有连接</translation>
    </message>
    <message>
        <source>a frame of %1 bytes is above the server&apos;s limit of %2</source>
        <translation>%1 字节的帧超过了服务器的上限 %2</translation>
    </message>
    <message>
        <source>%1 does not fit in 63 bits</source>
        <translation>%1 超出 63 位</translation>
    </message>
    <message>
        <source>JSON nested deeper than %1 levels</source>
        <translation>JSON 嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>JSON at byte %1: %2</source>
        <translation>JSON 第 %1 字节：%2</translation>
    </message>
    <message>
        <source>%1: the payload is not an array</source>
        <translation>%1：载荷不是数组</translation>
    </message>
    <message>
        <source>%1: the payload is not one value</source>
        <translation>%1：载荷不是单个值</translation>
    </message>
    <message>
        <source>CONNECT packet</source>
        <translation>CONNECT 数据包</translation>
    </message>
    <message>
        <source>CONNECT packet: the payload is not an object</source>
        <translation>CONNECT 数据包：载荷不是对象</translation>
    </message>
    <message>
        <source>EVENT packet</source>
        <translation>EVENT 数据包</translation>
    </message>
    <message>
        <source>EVENT packet: the event&apos;s name is not a string</source>
        <translation>EVENT 数据包：事件名称不是字符串</translation>
    </message>
    <message>
        <source>ACK packet without an id</source>
        <translation>ACK 数据包没有编号</translation>
    </message>
    <message>
        <source>ACK packet</source>
        <translation>ACK 数据包</translation>
    </message>
    <message>
        <source>CONNECT_ERROR packet</source>
        <translation>CONNECT_ERROR 数据包</translation>
    </message>
    <message>
        <source>the namespace is longer than 1024 bytes</source>
        <translation>命名空间超过 1024 字节</translation>
    </message>
    <message>
        <source>the namespace is not UTF-8</source>
        <translation>命名空间不是 UTF-8</translation>
    </message>
    <message>
        <source>the acknowledgement id</source>
        <translation>应答编号</translation>
    </message>
    <message>
        <source>unknown packet type</source>
        <translation>未知的数据包类型</translation>
    </message>
    <message>
        <source>a namespace starts with &apos;/&apos; and has no comma</source>
        <translation>命名空间应以“/”开头且不含逗号</translation>
    </message>
    <message>
        <source>an acknowledgement id is not negative</source>
        <translation>应答编号不能为负数</translation>
    </message>
    <message>
        <source>an acknowledgement needs the id of its event</source>
        <translation>应答需要其事件的编号</translation>
    </message>
    <message>
        <source>the event name &quot;%1&quot; is reserved</source>
        <translation>事件名称“%1”是保留的</translation>
    </message>
    <message>
        <source>empty Engine.IO packet</source>
        <translation>空的 Engine.IO 数据包</translation>
    </message>
    <message>
        <source>unknown Engine.IO packet type</source>
        <translation>未知的 Engine.IO 数据包类型</translation>
    </message>
    <message>
        <source>Engine.IO open packet: %1</source>
        <translation>Engine.IO 打开数据包：%1</translation>
    </message>
    <message>
        <source>Engine.IO open packet</source>
        <translation>Engine.IO 打开数据包</translation>
    </message>
    <message>
        <source>it is not an object</source>
        <translation>它不是对象</translation>
    </message>
    <message>
        <source>%1 is below 1 ms</source>
        <translation>%1 小于 1 毫秒</translation>
    </message>
    <message>
        <source>maxPayload is below 1 byte</source>
        <translation>maxPayload 小于 1 字节</translation>
    </message>
    <message>
        <source>a text frame came while %1 attachments were missing</source>
        <translation>还缺 %1 个附件时收到了文本帧</translation>
    </message>
    <message>
        <source>a packet of %1 bytes is above the limit of %2</source>
        <translation>%1 字节的数据包超过了上限 %2</translation>
    </message>
    <message>
        <source>empty Socket.IO packet</source>
        <translation>空的 Socket.IO 数据包</translation>
    </message>
    <message>
        <source>unknown Socket.IO packet type</source>
        <translation>未知的 Socket.IO 数据包类型</translation>
    </message>
    <message>
        <source>the attachment count</source>
        <translation>附件数量</translation>
    </message>
    <message>
        <source>binary packet without an attachment count</source>
        <translation>二进制数据包没有附件数量</translation>
    </message>
    <message>
        <source>%1 attachments are above the limit of %2</source>
        <translation>%1 个附件超过了上限 %2</translation>
    </message>
    <message>
        <source>binary packet</source>
        <translation>二进制数据包</translation>
    </message>
    <message>
        <source>a binary frame came that no packet announced</source>
        <translation>收到没有任何数据包预告的二进制帧</translation>
    </message>
    <message>
        <source>the attachments of a packet are above %1 bytes</source>
        <translation>一个数据包的附件超过 %1 字节</translation>
    </message>
    <message>
        <source>the payload is nested deeper than %1 levels</source>
        <translation>载荷嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>the payload holds a number JSON cannot say</source>
        <translation>载荷包含 JSON 无法表示的数字</translation>
    </message>
    <message>
        <source>the payload holds a key that is no string</source>
        <translation>载荷包含不是字符串的键</translation>
    </message>
    <message>
        <source>the payload holds a value JSON cannot say</source>
        <translation>载荷包含 JSON 无法表示的值</translation>
    </message>
    <message>
        <source>no answer to &quot;%1&quot; within %2 ms</source>
        <translation>“%1”在 %2 毫秒内没有应答</translation>
    </message>
    <message>
        <source>a placeholder names none of the %1 attachments</source>
        <translation>有占位符不对应 %1 个附件中的任何一个</translation>
    </message>
    <message>
        <source>%1 of %2 attachments have no placeholder</source>
        <translation>%2 个附件中有 %1 个没有占位符</translation>
    </message>
    <message>
        <source>closed without the server&apos;s answer</source>
        <translation>连接已关闭，服务器没有应答</translation>
    </message>
    <message>
        <source>no ping from the server within %1 ms</source>
        <translation>在 %1 毫秒内没有收到服务器的 ping</translation>
    </message>
    <message>
        <source>stopped while connecting</source>
        <translation>连接过程中被停止</translation>
    </message>
    <message>
        <source>the server did not begin with an Engine.IO open packet</source>
        <translation>服务器没有以 Engine.IO 打开数据包开始</translation>
    </message>
    <message>
        <source>the server closed the connection</source>
        <translation>服务器关闭了连接</translation>
    </message>
    <message>
        <source>Engine.IO packet of type %1 has no meaning here</source>
        <translation>类型为 %1 的 Engine.IO 数据包在这里没有意义</translation>
    </message>
    <message>
        <source>more than %1 bytes received and not handled in time</source>
        <translation>收到超过 %1 字节，未能及时处理</translation>
    </message>
    <message>
        <source>the connection was closed (WebSocket code %1)</source>
        <translation>连接已关闭（WebSocket 代码 %1）</translation>
    </message>
    <message>
        <source>the connection was closed (WebSocket code %1: %2)</source>
        <translation>连接已关闭（WebSocket 代码 %1：%2）</translation>
    </message>
    <message>
        <source>use an address such as https://workspace.example.org</source>
        <translation>请使用类似 https://workspace.example.org 的地址</translation>
    </message>
    <message>
        <source>the address is not a URL: %1</source>
        <translation>该地址不是 URL：%1</translation>
    </message>
    <message>
        <source>the address must begin with http, https, ws or wss, not &quot;%1&quot;</source>
        <translation>地址必须以 http、https、ws 或 wss 开头，而不是“%1”</translation>
    </message>
    <message>
        <source>the address names no host</source>
        <translation>地址中没有主机名</translation>
    </message>
    <message>
        <source>&quot;%1&quot; must not be negative</source>
        <translation>“%1”不能为负数</translation>
    </message>
    <message>
        <source>%1 &quot;%2&quot; is not a model API this device speaks</source>
        <translation>%1“%2”不是此设备支持的模型接口</translation>
    </message>
    <message>
        <source>a model of type &quot;%1&quot; cannot do a coding task</source>
        <translation>类型为“%1”的模型不能执行编程任务</translation>
    </message>
    <message>
        <source>&quot;base_url&quot; is not an http or https address</source>
        <translation>“base_url”不是 http 或 https 地址</translation>
    </message>
    <message>
        <source>header &quot;%1&quot; must be a string</source>
        <translation>标头“%1”必须是字符串</translation>
    </message>
    <message>
        <source>header &quot;%1&quot; holds a line break</source>
        <translation>标头“%1”含有换行</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is longer than %2 characters or holds a control character</source>
        <translation>“%1”超过 %2 个字符或含有控制字符</translation>
    </message>
    <message>
        <source>&quot;model_id&quot; is missing</source>
        <translation>缺少“model_id”</translation>
    </message>
    <message>
        <source>model_config: %1</source>
        <translation>model_config：%1</translation>
    </message>
    <message>
        <source>The default model of this device cannot be used: %1. %2</source>
        <translation>无法使用此设备的默认模型：%1。%2</translation>
    </message>
    <message>
        <source>the provider&apos;s answer is not valid UTF-8</source>
        <translation>服务商的回答不是有效的 UTF-8</translation>
    </message>
    <message>
        <source>the provider sent an event of more than 16 MiB</source>
        <translation>服务商发来了超过 16 MiB 的事件</translation>
    </message>
    <message>
        <source>the provider&apos;s answer is larger than 16 MiB</source>
        <translation>服务商的回答超过 16 MiB</translation>
    </message>
    <message>
        <source>the provider&apos;s answer ends within a UTF-8 character</source>
        <translation>服务商的回答在一个 UTF-8 字符中间结束</translation>
    </message>
    <message>
        <source>the provider&apos;s answer is not a JSON object</source>
        <translation>服务商的回答不是 JSON 对象</translation>
    </message>
    <message>
        <source>the provider&apos;s answer is %1</source>
        <translation>服务商的回答是 %1</translation>
    </message>
    <message>
        <source>the provider&apos;s answer is neither an event stream nor JSON: %1</source>
        <translation>服务商的回答既不是事件流也不是 JSON：%1</translation>
    </message>
    <message>
        <source>the provider closed the connection without an answer</source>
        <translation>服务商没有回答就关闭了连接</translation>
    </message>
    <message>
        <source>the provider&apos;s stream ended without saying how</source>
        <translation>服务商的数据流结束了，但没有说明结果</translation>
    </message>
    <message>
        <source>the provider sent an event that is not a JSON object</source>
        <translation>服务商发来的事件不是 JSON 对象</translation>
    </message>
    <message>
        <source>the provider made more tool calls than are served</source>
        <translation>服务商发起的工具调用超过了支持的数量</translation>
    </message>
    <message>
        <source>the provider&apos;s stream ended before the answer was complete</source>
        <translation>服务商的数据流在回答完成之前结束</translation>
    </message>
    <message>
        <source>the provider&apos;s stream ended without an answer</source>
        <translation>服务商的数据流结束了，但没有回答</translation>
    </message>
    <message>
        <source>the provider is out of resources</source>
        <translation>服务商的资源已用尽</translation>
    </message>
    <message>
        <source>the provider stopped with &quot;%1&quot;</source>
        <translation>服务商停止了，原因是“%1”</translation>
    </message>
    <message>
        <source>the provider counted output but sent none</source>
        <translation>服务商计入了输出，但没有发送任何内容</translation>
    </message>
    <message>
        <source>the provider reported an error without words</source>
        <translation>服务商报告了错误，但没有说明</translation>
    </message>
    <message>
        <source>the address is invalid</source>
        <translation>地址无效</translation>
    </message>
    <message>
        <source>the network proxy cannot be used</source>
        <translation>无法使用网络代理</translation>
    </message>
    <message>
        <source>the host name cannot be resolved</source>
        <translation>无法解析主机名</translation>
    </message>
    <message>
        <source>the connection was refused or is impossible</source>
        <translation>连接被拒绝或无法建立</translation>
    </message>
    <message>
        <source>the secure connection could not be set up</source>
        <translation>无法建立安全连接</translation>
    </message>
    <message>
        <source>the server&apos;s certificate is not trusted</source>
        <translation>服务器的证书不受信任</translation>
    </message>
    <message>
        <source>the connection was closed before an answer</source>
        <translation>连接在回答之前被关闭</translation>
    </message>
    <message>
        <source>the connection broke within the answer</source>
        <translation>连接在回答过程中断开</translation>
    </message>
    <message>
        <source>connecting took too long</source>
        <translation>连接用时过长</translation>
    </message>
    <message>
        <source>no answer came within the time limit</source>
        <translation>在时限内没有收到回答</translation>
    </message>
    <message>
        <source>the answer stopped and nothing more came</source>
        <translation>回答停止，之后没有更多内容</translation>
    </message>
    <message>
        <source>the HTTP library cannot be used</source>
        <translation>无法使用 HTTP 库</translation>
    </message>
    <message>
        <source>the provider&apos;s stream broke: %1</source>
        <translation>服务商的数据流中断：%1</translation>
    </message>
    <message>
        <source>The provider&apos;s address answered with neither an event stream nor JSON: %1</source>
        <translation>服务商的地址返回的既不是事件流也不是 JSON：%1</translation>
    </message>
    <message>
        <source>The model provider cannot be reached (%1): %2</source>
        <translation>无法连接模型服务商（%1）：%2</translation>
    </message>
    <message>
        <source>The provider read %1 tokens of a prompt of about %2: its context window is too small, and it drops the beginning. Give it a larger one (Ollama: OLLAMA_CONTEXT_LENGTH).</source>
        <translation>服务商只读取了约 %2 个令牌的提示中的 %1 个：其上下文窗口太小，会丢弃开头部分。请设置更大的窗口（Ollama：OLLAMA_CONTEXT_LENGTH）。</translation>
    </message>
    <message>
        <source>The prompt fills %1 of the %2 tokens of the model&apos;s context window. What does not fit, this provider drops without a word; start a new conversation.</source>
        <translation>提示占用了模型上下文窗口 %2 个令牌中的 %1 个。放不下的部分，此服务商会直接丢弃而不作提示；请开始新的对话。</translation>
    </message>
    <message>
        <source>the provider sent nothing complete for too long</source>
        <translation>服务商太久没有发来完整的内容</translation>
    </message>
    <message>
        <source>the program is stopping</source>
        <translation>程序正在停止</translation>
    </message>
    <message>
        <source>The program is stopping.</source>
        <translation>程序正在停止。</translation>
    </message>
    <message>
        <source>JSON nested more than %1 levels deep</source>
        <translation>JSON 嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>malformed JSON at byte %1</source>
        <translation>JSON 在第 %1 字节处格式错误</translation>
    </message>
    <message>
        <source>the provider&apos;s answer has more parts than are served</source>
        <translation>服务商的回答包含的部分超过了支持的数量</translation>
    </message>
    <message>
        <source>The provider refuses the key (HTTP %1): %2</source>
        <translation>服务商拒绝了密钥（HTTP %1）：%2</translation>
    </message>
    <message>
        <source>Check the key, and that it is meant for this address.</source>
        <translation>请检查密钥，以及它是否用于此地址。</translation>
    </message>
    <message>
        <source>The provider knows neither this model nor this address (HTTP 404): %1</source>
        <translation>服务商不认识此模型或此地址（HTTP 404）：%1</translation>
    </message>
    <message>
        <source>Choose a model from the list, or correct the base URL.</source>
        <translation>请从列表中选择模型，或更正基础地址。</translation>
    </message>
    <message>
        <source>The account has no balance left: %1</source>
        <translation>账户余额不足：%1</translation>
    </message>
    <message>
        <source>Top up the account at the provider.</source>
        <translation>请到服务商处充值。</translation>
    </message>
    <message>
        <source>The provider limits the rate of requests: %1</source>
        <translation>服务商限制了请求频率：%1</translation>
    </message>
    <message>
        <source>Wait a little and test again.</source>
        <translation>请稍等片刻再测试。</translation>
    </message>
    <message>
        <source>Check the base URL and the network proxy.</source>
        <translation>请检查基础地址和网络代理。</translation>
    </message>
    <message>
        <source>The provider does not accept the request (HTTP %1): %2</source>
        <translation>服务商不接受该请求（HTTP %1）：%2</translation>
    </message>
    <message>
        <source>Check the wire format and the provider family of this model.</source>
        <translation>请检查此模型的接口格式和服务商类别。</translation>
    </message>
    <message>
        <source>The provider failed (HTTP %1): %2</source>
        <translation>服务商出错（HTTP %1）：%2</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后重试。</translation>
    </message>
    <message>
        <source>the provider cannot be reached: %1</source>
        <translation>无法连接服务商：%1</translation>
    </message>
    <message>
        <source>the provider&apos;s list of models cannot be read</source>
        <translation>无法读取服务商的模型列表</translation>
    </message>
    <message>
        <source>Check the base URL.</source>
        <translation>请检查基础地址。</translation>
    </message>
    <message>
        <source>The provider did not answer in time: %1</source>
        <translation>服务商没有及时回答：%1</translation>
    </message>
    <message>
        <source>Try again, or choose a faster model.</source>
        <translation>请重试，或选择更快的模型。</translation>
    </message>
    <message>
        <source>The model answered, but did not call the tool it was told to call.</source>
        <translation>模型作出了回答，但没有调用要求它调用的工具。</translation>
    </message>
    <message>
        <source>Coding tasks need tool calls: choose a model that supports them.</source>
        <translation>编程任务需要工具调用：请选择支持工具调用的模型。</translation>
    </message>
    <message>
        <source>The provider&apos;s answer ended before it was complete.</source>
        <translation>服务商的回答在完成之前结束。</translation>
    </message>
    <message>
        <source>Try again; if it stays, check the wire format.</source>
        <translation>请重试；如果仍然如此，请检查接口格式。</translation>
    </message>
    <message>
        <source>the model proxy is started twice</source>
        <translation>模型代理被启动了两次</translation>
    </message>
    <message>
        <source>profile &quot;%1&quot; must be %2</source>
        <translation>配置“%1”必须是%2</translation>
    </message>
    <message>
        <source>the name of a header</source>
        <translation>标头名称</translation>
    </message>
    <message>
        <source>a whole number above 0</source>
        <translation>大于 0 的整数</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>以下之一：%1</translation>
    </message>
    <message>
        <source>a list of texts</source>
        <translation>文本列表</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no key of a profile</source>
        <translation>“%1”不是配置中的键</translation>
    </message>
    <message>
        <source>&quot;family&quot; is &quot;%1&quot;, which is unknown</source>
        <translation>“family”为“%1”，这是未知的类别</translation>
    </message>
    <message>
        <source>Known families: %1.</source>
        <translation>已知类别：%1。</translation>
    </message>
    <message>
        <source>the provider&apos;s last event cannot be read</source>
        <translation>无法读取服务商的最后一个事件</translation>
    </message>
    <message>
        <source>the provider cancelled the answer</source>
        <translation>服务商取消了回答</translation>
    </message>
    <message>
        <source>the provider&apos;s answer failed</source>
        <translation>服务商的回答失败</translation>
    </message>
    <message>
        <source>the provider&apos;s answer is not a Responses object</source>
        <translation>服务商的回答不是 Responses 对象</translation>
    </message>
    <message>
        <source>&quot;%1&quot; must be greater than 0, not %2</source>
        <translation>“%1”必须大于 0，而不是 %2</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a URL with %2</source>
        <translation>“%1”不是包含 %2 的 URL</translation>
    </message>
    <message>
        <source>&quot;%1&quot; must not hold a user name or password</source>
        <translation>“%1”不能包含用户名或密码</translation>
    </message>
    <message>
        <source>Put the key into &quot;api_key&quot;.</source>
        <translation>请把密钥填入“api_key”。</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has a line that is not &quot;Name: value&quot;</source>
        <translation>“%1”中有一行不是“名称: 值”的形式</translation>
    </message>
    <message>
        <source>&quot;%1&quot; must be an object of texts</source>
        <translation>“%1”必须是由文本组成的对象</translation>
    </message>
    <message>
        <source>&quot;%1.%2&quot; must be a text</source>
        <translation>“%1.%2”必须是文本</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has an invalid header name</source>
        <translation>“%1”含有无效的标头名称</translation>
    </message>
    <message>
        <source>&quot;%1.%2&quot; may not be set</source>
        <translation>不能设置“%1.%2”</translation>
    </message>
    <message>
        <source>&quot;%1.%2&quot; has a line break or NUL in its value</source>
        <translation>“%1.%2”的值含有换行或 NUL</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;, which is no known wire format</source>
        <translation>“%1”为“%2”，这是未知的接口格式</translation>
    </message>
    <message>
        <source>Use openai-responses, openai-chat-completions or anthropic-messages.</source>
        <translation>请使用 openai-responses、openai-chat-completions 或 anthropic-messages。</translation>
    </message>
    <message>
        <source>vision sidecar</source>
        <translation>图像描述模型</translation>
    </message>
    <message>
        <source>the vision sidecar needs &quot;request_url&quot; and &quot;model_id&quot;</source>
        <translation>图像描述模型需要“request_url”和“model_id”</translation>
    </message>
    <message>
        <source>the vision sidecar&apos;s &quot;request_url&quot; must be https, or http to this computer</source>
        <translation>图像描述模型的“request_url”必须使用 https，或使用指向本机的 http</translation>
    </message>
    <message>
        <source>the vision sidecar&apos;s &quot;api_format&quot; is &quot;%1&quot;, which is no known wire format</source>
        <translation>图像描述模型的“api_format”为“%1”，这是未知的接口格式</translation>
    </message>
    <message>
        <source>vision default_headers</source>
        <translation>图像描述模型的 default_headers</translation>
    </message>
    <message>
        <source>the model has no &quot;base_url&quot;</source>
        <translation>模型没有“base_url”</translation>
    </message>
    <message>
        <source>&quot;modelType&quot; is &quot;%1&quot;, which cannot work on a coding task</source>
        <translation>“modelType”为“%1”，这种模型不能执行编程任务</translation>
    </message>
    <message>
        <source>&quot;base_url&quot; is an address of Bedrock or Vertex, whose form of Messages is not served</source>
        <translation>“base_url”是 Bedrock 或 Vertex 的地址，不支持其形式的 Messages 接口</translation>
    </message>
    <message>
        <source>Use the provider&apos;s own address, or a gateway that speaks plain Messages.</source>
        <translation>请使用服务商自己的地址，或使用支持普通 Messages 接口的网关。</translation>
    </message>
    <message>
        <source>&quot;api_key&quot; has a line break or NUL in it</source>
        <translation>“api_key”中含有换行或 NUL</translation>
    </message>
    <message>
        <source>The model provider is asked again in %1 s (attempt %2 of %3)</source>
        <translation>将在 %1 秒后再次请求模型服务商（第 %2 次，共 %3 次）</translation>
    </message>
    <message>
        <source>The model provider failed (HTTP %1%2): %3</source>
        <translation>模型服务商出错（HTTP %1%2）：%3</translation>
    </message>
    <message>
        <source>%1 lacks a needed function</source>
        <translation>%1 缺少所需的函数</translation>
    </message>
    <message>
        <source>it could not be initialised</source>
        <translation>它无法初始化</translation>
    </message>
    <message>
        <source>the HTTP library libcurl cannot be used: %1</source>
        <translation>无法使用 HTTP 库 libcurl：%1</translation>
    </message>
    <message>
        <source>Install libcurl 7.85 or newer.</source>
        <translation>请安装 libcurl 7.85 或更新版本。</translation>
    </message>
    <message>
        <source>cannot read the certificate file %1: %2</source>
        <translation>无法读取证书文件 %1：%2</translation>
    </message>
    <message>
        <source>it answered with HTTP %1</source>
        <translation>它返回了 HTTP %1</translation>
    </message>
    <message>
        <source>%1 cannot be used: %2</source>
        <translation>无法使用%1：%2</translation>
    </message>
    <message>
        <source>no answer within the time limit</source>
        <translation>在时限内没有回答</translation>
    </message>
    <message>
        <source>the address is not a valid http or https URL</source>
        <translation>该地址不是有效的 http 或 https URL</translation>
    </message>
    <message>
        <source>libcurl could not make a handle</source>
        <translation>libcurl 无法创建句柄</translation>
    </message>
    <message>
        <source>the network proxy %1 (from %2)</source>
        <translation>网络代理 %1（来自%2）</translation>
    </message>
    <message>
        <source>the model&apos;s configuration</source>
        <translation>模型的配置</translation>
    </message>
    <message>
        <source>the environment variable %1</source>
        <translation>环境变量 %1</translation>
    </message>
    <message>
        <source>the system&apos;s settings</source>
        <translation>系统设置</translation>
    </message>
    <message>
        <source>the model has no base_url</source>
        <translation>模型没有 base_url</translation>
    </message>
    <message>
        <source>there is no model &quot;%1&quot;; configured are: %2</source>
        <translation>没有模型“%1”，已配置的有：%2</translation>
    </message>
    <message>
        <source>the key of the model &quot;%1&quot;</source>
        <translation>模型“%1”的密钥</translation>
    </message>
    <message>
        <source>%1 is not in the store</source>
        <translation>密钥库中没有%1</translation>
    </message>
    <message>
        <source>Give it again: deskhand-executor models key &apos;%1&apos; --key-file FILE</source>
        <translation>请重新提供：deskhand-executor models key &apos;%1&apos; --key-file FILE</translation>
    </message>
    <message>
        <source>it has no base_url</source>
        <translation>它没有 base_url</translation>
    </message>
    <message>
        <source>the model &quot;%1&quot; cannot be used: %2</source>
        <translation>无法使用模型“%1”：%2</translation>
    </message>
    <message>
        <source>there is a model &quot;%1&quot; already</source>
        <translation>已有名为“%1”的模型</translation>
    </message>
    <message>
        <source>Choose another name, or remove that one first.</source>
        <translation>请选择其他名称，或先删除那个模型。</translation>
    </message>
    <message>
        <source>the new key is empty</source>
        <translation>新密钥为空</translation>
    </message>
    <message>
        <source>the model is gone, but its key is still in the store</source>
        <translation>模型已删除，但其密钥仍在密钥库中</translation>
    </message>
    <message>
        <source>the network proxy could not start: %1</source>
        <translation>网络代理无法启动：%1</translation>
    </message>
    <message>
        <source>no folder for the network proxy: %1</source>
        <translation>网络代理没有可用的目录：%1</translation>
    </message>
    <message>
        <source>the path %1 is too long for a socket</source>
        <translation>路径 %1 对套接字来说太长</translation>
    </message>
    <message>
        <source>set TMPDIR to a shorter path</source>
        <translation>请把 TMPDIR 设为更短的路径</translation>
    </message>
    <message>
        <source>the network proxy&apos;s socket could not be handed over</source>
        <translation>无法移交网络代理的套接字</translation>
    </message>
    <message>
        <source>the policy needs %1 arguments, more than the sandbox program takes</source>
        <translation>策略需要 %1 个参数，超过了沙箱程序可接受的数量</translation>
    </message>
    <message>
        <source>deny directories instead of single files</source>
        <translation>请禁止目录，而不是单个文件</translation>
    </message>
    <message>
        <source>command rule %1: %2</source>
        <translation>命令规则 %1：%2</translation>
    </message>
    <message>
        <source>each place of &quot;prefix&quot; is a word or a list of words</source>
        <translation>“prefix”的每个位置应为一个词或一组词</translation>
    </message>
    <message>
        <source>&quot;prefix&quot; is missing or empty</source>
        <translation>缺少“prefix”或其为空</translation>
    </message>
    <message>
        <source>&quot;decision&quot; is allow, prompt or forbidden</source>
        <translation>“decision”应为 allow、prompt 或 forbidden</translation>
    </message>
    <message>
        <source>the command rules %1 cannot be read: %2</source>
        <translation>无法读取命令规则 %1：%2</translation>
    </message>
    <message>
        <source>the command rules %1 are over 1 MiB</source>
        <translation>命令规则 %1 超过 1 MiB</translation>
    </message>
    <message>
        <source>the command rules %1 are no JSON object (%2 at byte %3)</source>
        <translation>命令规则 %1 不是 JSON 对象（第 %3 字节：%2）</translation>
    </message>
    <message>
        <source>the example &quot;%1&quot; is not matched by its rule</source>
        <translation>示例“%1”与其规则不匹配</translation>
    </message>
    <message>
        <source>the counter example &quot;%1&quot; is matched by its rule</source>
        <translation>反例“%1”与其规则匹配</translation>
    </message>
    <message>
        <source>no rule names this command</source>
        <translation>没有规则提到此命令</translation>
    </message>
    <message>
        <source>the shell text cannot be taken apart safely</source>
        <translation>无法安全地拆解 shell 文本</translation>
    </message>
    <message>
        <source>this system has no control groups</source>
        <translation>此系统没有控制组</translation>
    </message>
    <message>
        <source>no control group here may be written</source>
        <translation>这里没有可写的控制组</translation>
    </message>
    <message>
        <source>control group: %1: %2</source>
        <translation>控制组：%1：%2</translation>
    </message>
    <message>
        <source>a system call of another architecture was refused</source>
        <translation>拒绝了另一种架构的系统调用</translation>
    </message>
    <message>
        <source>the network of this run does not lead to %1</source>
        <translation>此次运行的网络无法到达 %1</translation>
    </message>
    <message>
        <source>the output reads like a refusal</source>
        <translation>输出看起来像是被拒绝</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no host pattern</source>
        <translation>“%1”不是主机模式</translation>
    </message>
    <message>
        <source>use a name, *.name for its sub-domains, or **.name for both</source>
        <translation>请使用名称，用 *.名称 表示其子域名，用 **.名称 表示两者</translation>
    </message>
    <message>
        <source>no sandbox can be built inside another one here: %1</source>
        <translation>无法在这里的沙箱内再建立沙箱：%1</translation>
    </message>
    <message>
        <source>the executor is stopping</source>
        <translation>执行程序正在停止</translation>
    </message>
    <message>
        <source>%1 background sessions are open already</source>
        <translation>已有 %1 个后台会话打开</translation>
    </message>
    <message>
        <source>close one of them</source>
        <translation>请关闭其中一个</translation>
    </message>
    <message>
        <source>the pattern &quot;%1&quot; is not an absolute path</source>
        <translation>模式“%1”不是绝对路径</translation>
    </message>
    <message>
        <source>start it with / or ~/</source>
        <translation>请以 / 或 ~/ 开头</translation>
    </message>
    <message>
        <source>the pattern &quot;%1&quot; contains . or ..</source>
        <translation>模式“%1”含有 . 或 ..</translation>
    </message>
    <message>
        <source>the pattern &quot;%1&quot; could match anywhere on the disk</source>
        <translation>模式“%1”可能匹配磁盘上的任何位置</translation>
    </message>
    <message>
        <source>begin it with a fixed directory</source>
        <translation>请以固定目录开头</translation>
    </message>
    <message>
        <source>%1 is locked by another program</source>
        <translation>%1 已被另一个程序锁定</translation>
    </message>
    <message>
        <source>try again</source>
        <translation>请重试</translation>
    </message>
    <message>
        <source>the protected name %1 cannot be guarded: %2</source>
        <translation>无法保护受保护的名称 %1：%2</translation>
    </message>
    <message>
        <source>free some disk space</source>
        <translation>请腾出一些磁盘空间</translation>
    </message>
    <message>
        <source>check who may write to %1</source>
        <translation>请检查谁可以写入 %1</translation>
    </message>
    <message>
        <source>%1 appeared while the run was being prepared</source>
        <translation>在准备运行期间出现了 %1</translation>
    </message>
    <message>
        <source>the file system of %1 offers no locks</source>
        <translation>%1 所在的文件系统不支持锁</translation>
    </message>
    <message>
        <source>keep the workspace on a local disk</source>
        <translation>请把工作区放在本地磁盘上</translation>
    </message>
    <message>
        <source>the owner of %1 cannot be read: %2</source>
        <translation>无法读取 %1 的所有者：%2</translation>
    </message>
    <message>
        <source>inside another sandbox the network can only be off or full</source>
        <translation>在另一个沙箱内，网络只能是 off 或 full</translation>
    </message>
    <message>
        <source>the bubblewrap at %1 is too old</source>
        <translation>%1 处的 bubblewrap 版本过旧</translation>
    </message>
    <message>
        <source>install bubblewrap 0.8.0 or later</source>
        <translation>请安装 bubblewrap 0.8.0 或更新版本</translation>
    </message>
    <message>
        <source>degraded: %1; modes and times of files outside can still be changed</source>
        <translation>已降级：%1；仍可更改外部文件的权限和时间</translation>
    </message>
    <message>
        <source>without bubblewrap the rule for %1 cannot be held</source>
        <translation>没有 bubblewrap 就无法保证 %1 的规则</translation>
    </message>
    <message>
        <source>install the package &quot;bubblewrap&quot;</source>
        <translation>请安装软件包“bubblewrap”</translation>
    </message>
    <message>
        <source>the sandbox helper lies inside the writable root %1</source>
        <translation>沙箱辅助程序位于可写目录 %1 内</translation>
    </message>
    <message>
        <source>limits must be counted by the kernel here, but %1</source>
        <translation>这里的限额必须由内核统计，但是%1</translation>
    </message>
    <message>
        <source>the arguments of the sandbox could not be stored: %1</source>
        <translation>无法保存沙箱的参数：%1</translation>
    </message>
    <message>
        <source>is a list of texts</source>
        <translation>应为文本列表</translation>
    </message>
    <message>
        <source>is a number from 0 to %1</source>
        <translation>应为 0 到 %1 的数字</translation>
    </message>
    <message>
        <source>is read, write or deny</source>
        <translation>应为 read、write 或 deny</translation>
    </message>
    <message>
        <source>is skip, guard or error</source>
        <translation>应为 skip、guard 或 error</translation>
    </message>
    <message>
        <source>may be a pattern only to deny: %1</source>
        <translation>只有在禁止时才可使用模式：%1</translation>
    </message>
    <message>
        <source>is private, host or none</source>
        <translation>应为 private、host 或 none</translation>
    </message>
    <message>
        <source>holds names, not paths: &quot;%1&quot;</source>
        <translation>应为名称而不是路径：“%1”</translation>
    </message>
    <message>
        <source>says allow or deny for each pattern, not for &quot;%1&quot;</source>
        <translation>应为每个模式指定 allow 或 deny，而不是“%1”</translation>
    </message>
    <message>
        <source>is off, local, proxy or full</source>
        <translation>应为 off、local、proxy 或 full</translation>
    </message>
    <message>
        <source>holds numbers from 1 to 65535</source>
        <translation>应为 1 到 65535 的数字</translation>
    </message>
    <message>
        <source>is core, all or none</source>
        <translation>应为 core、all 或 none</translation>
    </message>
    <message>
        <source>maps names to texts</source>
        <translation>应为名称到文本的映射</translation>
    </message>
    <message>
        <source>is managed, external or none</source>
        <translation>应为 managed、external 或 none</translation>
    </message>
    <message>
        <source>the policy file is over 1 MiB</source>
        <translation>策略文件超过 1 MiB</translation>
    </message>
    <message>
        <source>the profile &quot;%1&quot; is built in and cannot be redefined</source>
        <translation>配置“%1”是内置的，不能重新定义</translation>
    </message>
    <message>
        <source>the project&apos;s file defines profiles; that is ignored, it may only narrow</source>
        <translation>项目的文件定义了配置，已将其忽略，它只能收紧限制</translation>
    </message>
    <message>
        <source>the profiles extend each other in a circle: %1</source>
        <translation>配置之间循环扩展：%1</translation>
    </message>
    <message>
        <source>there is no profile &quot;%1&quot;</source>
        <translation>没有配置“%1”</translation>
    </message>
    <message>
        <source>known are: %1</source>
        <translation>已知的有：%1</translation>
    </message>
    <message>
        <source>profile &quot;%1&quot;</source>
        <translation>配置“%1”</translation>
    </message>
    <message>
        <source>the workspace %1 is no directory</source>
        <translation>工作区 %1 不是目录</translation>
    </message>
    <message>
        <source>the pattern %1 may only deny</source>
        <translation>模式 %1 只能用于禁止</translation>
    </message>
    <message>
        <source>the rule for &quot;%1&quot; is not understood and has no effect</source>
        <translation>无法理解“%1”的规则，它不起作用</translation>
    </message>
    <message>
        <source>%1 does not exist, and its rule requires it</source>
        <translation>%1 不存在，而其规则要求它存在</translation>
    </message>
    <message>
        <source>%1 does not exist and was left out</source>
        <translation>%1 不存在，已略过</translation>
    </message>
    <message>
        <source>%1 is a symbolic link; what it protects could be swapped</source>
        <translation>%1 是符号链接，它所保护的内容可能被替换</translation>
    </message>
    <message>
        <source>replace the link by what it points to</source>
        <translation>请把该链接换成它所指向的内容</translation>
    </message>
    <message>
        <source>%1 is large: not all of it was searched for nested repositories</source>
        <translation>%1 很大，没有在其中全部查找嵌套仓库</translation>
    </message>
    <message>
        <source>the pattern %1 matches more than %2 files</source>
        <translation>模式 %1 匹配的文件超过 %2 个</translation>
    </message>
    <message>
        <source>deny their directory instead</source>
        <translation>请改为禁止其所在目录</translation>
    </message>
    <message>
        <source>not everything below %1 could be searched for the pattern %2</source>
        <translation>无法在 %1 下全部查找模式 %2</translation>
    </message>
    <message>
        <source>begin the pattern deeper, or raise glob_max_depth</source>
        <translation>请让模式从更深的目录开始，或提高 glob_max_depth</translation>
    </message>
    <message>
        <source>%1 goes through the link %2, which the command could change</source>
        <translation>%1 经过链接 %2，而命令可能更改它</translation>
    </message>
    <message>
        <source>name %1 instead</source>
        <translation>请改为指定 %1</translation>
    </message>
    <message>
        <source>this program already runs inside a sandbox, and another one cannot be built there: %1</source>
        <translation>此程序已在沙箱内运行，无法在其中再建立沙箱：%1</translation>
    </message>
    <message>
        <source>use the outer sandbox (profile enforcement &quot;external&quot;)</source>
        <translation>请使用外层沙箱（配置的 enforcement 设为“external”）</translation>
    </message>
    <message>
        <source>user namespaces are made without power here: %1</source>
        <translation>此系统的用户命名空间没有所需权限：%1</translation>
    </message>
    <message>
        <source>load the AppArmor profile that comes with Deskhand (deskhand-sandbox)</source>
        <translation>请加载 Deskhand 附带的 AppArmor 配置（deskhand-sandbox）</translation>
    </message>
    <message>
        <source>allow this program to make user namespaces in the security module of this system</source>
        <translation>请在此系统的安全模块中允许此程序创建用户命名空间</translation>
    </message>
    <message>
        <source>this system does not allow user namespaces: %1</source>
        <translation>此系统不允许用户命名空间：%1</translation>
    </message>
    <message>
        <source>ask the administrator to set kernel.unprivileged_userns_clone to 1</source>
        <translation>请让管理员把 kernel.unprivileged_userns_clone 设为 1</translation>
    </message>
    <message>
        <source>ask the administrator to raise user.max_user_namespaces</source>
        <translation>请让管理员提高 user.max_user_namespaces</translation>
    </message>
    <message>
        <source>in a container, allow user namespaces in its security profile</source>
        <translation>如在容器中，请在其安全配置中允许用户命名空间</translation>
    </message>
    <message>
        <source>a process view of its own is refused here: %1</source>
        <translation>这里拒绝建立独立的进程视图：%1</translation>
    </message>
    <message>
        <source>in a container, unmask /proc, or let the container be the sandbox</source>
        <translation>如在容器中，请取消对 /proc 的屏蔽，或让容器充当沙箱</translation>
    </message>
    <message>
        <source>run &quot;deskhand-executor sandbox probe&quot; for details</source>
        <translation>运行“deskhand-executor sandbox probe”可查看详情</translation>
    </message>
    <message>
        <source>no folder for the test could be made: %1</source>
        <translation>无法创建测试用目录：%1</translation>
    </message>
    <message>
        <source>the container around this program is its sandbox</source>
        <translation>此程序所在的容器就是它的沙箱</translation>
    </message>
    <message>
        <source>this program already runs inside a sandbox</source>
        <translation>此程序已在沙箱内运行</translation>
    </message>
    <message>
        <source>a command in the sandbox could write outside of it</source>
        <translation>沙箱内的命令可以写入沙箱之外</translation>
    </message>
    <message>
        <source>report this computer&apos;s kernel and bubblewrap versions</source>
        <translation>请报告此电脑的内核版本和 bubblewrap 版本</translation>
    </message>
    <message>
        <source>the sandbox did not answer within %1 s</source>
        <translation>沙箱在 %1 秒内没有响应</translation>
    </message>
    <message>
        <source>the test command ended with status %1</source>
        <translation>测试命令以状态 %1 结束</translation>
    </message>
    <message>
        <source>%1; read-only work is held by Landlock alone</source>
        <translation>%1；只读操作仅由 Landlock 保护</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>the request head is over 16 KiB</source>
        <translation>请求头超过 16 KiB</translation>
    </message>
    <message>
        <source>this is no HTTP/1.1 proxy request</source>
        <translation>这不是 HTTP/1.1 代理请求</translation>
    </message>
    <message>
        <source>the request names no host</source>
        <translation>请求没有指定主机</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no host</source>
        <translation>“%1”不是主机</translation>
    </message>
    <message>
        <source>port %1 is not open</source>
        <translation>端口 %1 没有开放</translation>
    </message>
    <message>
        <source>only plain GET, HEAD and OPTIONS requests are allowed</source>
        <translation>只允许普通的 GET、HEAD 和 OPTIONS 请求</translation>
    </message>
    <message>
        <source>%1 is on the list of denied hosts</source>
        <translation>%1 在禁止的主机列表中</translation>
    </message>
    <message>
        <source>%1 is not on the list of allowed hosts</source>
        <translation>%1 不在允许的主机列表中</translation>
    </message>
    <message>
        <source>nobody answered whether %1 may be reached</source>
        <translation>没有人答复是否可以访问 %1</translation>
    </message>
    <message>
        <source>%1 was not allowed</source>
        <translation>没有允许 %1</translation>
    </message>
    <message>
        <source>the name %1 could not be looked up in time</source>
        <translation>未能及时查到名称 %1</translation>
    </message>
    <message>
        <source>the name %1 is not known</source>
        <translation>名称 %1 无法识别</translation>
    </message>
    <message>
        <source>%1 leads to the private address %2</source>
        <translation>%1 指向私有地址 %2</translation>
    </message>
    <message>
        <source>%1 does not answer: %2</source>
        <translation>%1 没有响应：%2</translation>
    </message>
    <message>
        <source>no rule of the profile names it</source>
        <translation>配置中没有规则提到它</translation>
    </message>
    <message>
        <source>the rule for %1 says %2</source>
        <translation>%1 的规则为 %2</translation>
    </message>
    <message>
        <source>granted for this call: %1</source>
        <translation>已为此次调用授予：%1</translation>
    </message>
    <message>
        <source>%1 is protected in %2</source>
        <translation>%1 在 %2 中受保护</translation>
    </message>
    <message>
        <source>%1 holds the repository data of %2</source>
        <translation>%1 保存着 %2 的仓库数据</translation>
    </message>
    <message>
        <source>%1 belongs to a nested repository</source>
        <translation>%1 属于嵌套仓库</translation>
    </message>
    <message>
        <source>%1 holds secrets</source>
        <translation>%1 含有机密</translation>
    </message>
    <message>
        <source>it matches the pattern %1</source>
        <translation>它与模式 %1 匹配</translation>
    </message>
    <message>
        <source>%1 is private to the run, not the host&apos;s</source>
        <translation>%1 是此次运行私有的，不是主机的</translation>
    </message>
    <message>
        <source>timed out after %1 ms</source>
        <translation>在 %1 毫秒后超时</translation>
    </message>
    <message>
        <source>stopped by the limit &quot;%1&quot;</source>
        <translation>因限额“%1”而停止</translation>
    </message>
    <message>
        <source>the limit &quot;%1&quot; was reached</source>
        <translation>达到了限额“%1”</translation>
    </message>
    <message>
        <source>refused: %1</source>
        <translation>被拒绝：%1</translation>
    </message>
    <message>
        <source>unavailable: %1</source>
        <translation>不可用：%1</translation>
    </message>
    <message>
        <source>a new repository appeared at %1; git work ignores it until you approve it</source>
        <translation>在 %1 出现了新的仓库；在你批准之前，git 操作会忽略它</translation>
    </message>
    <message>
        <source>%1 changed and has other names (hard links), which changed with it</source>
        <translation>%1 已更改，它的其他名称（硬链接）也随之更改</translation>
    </message>
    <message>
        <source>%1 changed</source>
        <translation>%1 已更改</translation>
    </message>
    <message>
        <source>process %1 could not be ended</source>
        <translation>无法结束进程 %1</translation>
    </message>
    <message>
        <source>there is no command to run</source>
        <translation>没有要运行的命令</translation>
    </message>
    <message>
        <source>an argument contains a NUL character</source>
        <translation>参数含有 NUL 字符</translation>
    </message>
    <message>
        <source>the command is longer than 2 MiB</source>
        <translation>命令超过 2 MiB</translation>
    </message>
    <message>
        <source>put long input into a file</source>
        <translation>请把较长的输入放入文件</translation>
    </message>
    <message>
        <source>the working directory %1 does not exist</source>
        <translation>工作目录 %1 不存在</translation>
    </message>
    <message>
        <source>the time limit is over the ceiling of one hour</source>
        <translation>时限超过了一小时的上限</translation>
    </message>
    <message>
        <source>the working directory is not visible under the profile %1: %2</source>
        <translation>在配置 %1 下看不到工作目录：%2</translation>
    </message>
    <message>
        <source>write denied: %1 is protected and was removed</source>
        <translation>禁止写入：%1 受保护，已被移除</translation>
    </message>
    <message>
        <source>network denied: %1 port %2 (%3)</source>
        <translation>禁止网络访问：%1 端口 %2（%3）</translation>
    </message>
    <message>
        <source>install Deskhand again</source>
        <translation>请重新安装 Deskhand</translation>
    </message>
    <message>
        <source>the sandbox helper %1 is missing</source>
        <translation>缺少沙箱辅助程序 %1</translation>
    </message>
    <message>
        <source>the only bubblewrap (bwrap) found lies where commands may write</source>
        <translation>唯一找到的 bubblewrap（bwrap）位于命令可写的位置</translation>
    </message>
    <message>
        <source>bubblewrap (the program bwrap) is not installed</source>
        <translation>没有安装 bubblewrap（程序 bwrap）</translation>
    </message>
    <message>
        <source>%1 --help does not answer</source>
        <translation>%1 --help 没有响应</translation>
    </message>
    <message>
        <source>install the package &quot;bubblewrap&quot; again</source>
        <translation>请重新安装软件包“bubblewrap”</translation>
    </message>
    <message>
        <source>write denied: %1</source>
        <translation>禁止写入：%1</translation>
    </message>
    <message>
        <source>read denied: %1</source>
        <translation>禁止读取：%1</translation>
    </message>
    <message>
        <source>cannot create the folder %1</source>
        <translation>无法创建目录 %1</translation>
    </message>
    <message>
        <source>cannot write %1: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>cannot restrict %1 to its owner: %2</source>
        <translation>无法将 %1 限制为仅所有者可访问：%2</translation>
    </message>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 不存在</translation>
    </message>
    <message>
        <source>%1 is not a regular file</source>
        <translation>%1 不是普通文件</translation>
    </message>
    <message>
        <source>cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 is larger than %2 bytes</source>
        <translation>%1 大于 %2 字节</translation>
    </message>
    <message>
        <source>an array</source>
        <translation>数组</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>&quot;%1&quot; must be %2, not %3</source>
        <translation>“%1”必须是%2，而不是%3</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is missing</source>
        <translation>缺少“%1”</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>not JSON at byte %1: %2</source>
        <translation>第 %1 字节处不是 JSON：%2</translation>
    </message>
    <message>
        <source>the JSON text is not an object</source>
        <translation>JSON 文本不是对象</translation>
    </message>
    <message>
        <source>%1 is not a folder that belongs to you alone</source>
        <translation>%1 不是只属于你的目录</translation>
    </message>
    <message>
        <source>Remove it, or set XDG_RUNTIME_DIR to a private folder.</source>
        <translation>请删除它，或把 XDG_RUNTIME_DIR 设为私有目录。</translation>
    </message>
    <message>
        <source>cannot create %1: %2</source>
        <translation>无法创建 %1：%2</translation>
    </message>
    <message>
        <source>no path short enough for the control socket of %1</source>
        <translation>没有足够短的路径可用作 %1 的控制套接字</translation>
    </message>
    <message>
        <source>another program</source>
        <translation>另一个程序</translation>
    </message>
    <message>
        <source>%1 is already running for %2</source>
        <translation>%1 已在为 %2 运行</translation>
    </message>
    <message>
        <source>Use the one that runs, quit it first, or set WEGENT_EXECUTOR_HOME to another folder.</source>
        <translation>请使用正在运行的程序，或先退出它，或把 WEGENT_EXECUTOR_HOME 设为其他目录。</translation>
    </message>
    <message>
        <source>Make the folder writable for you, or set WEGENT_EXECUTOR_HOME to one that is.</source>
        <translation>请让你对该目录有写权限，或把 WEGENT_EXECUTOR_HOME 设为可写的目录。</translation>
    </message>
    <message>
        <source>%1 is not a folder</source>
        <translation>%1 不是目录</translation>
    </message>
    <message>
        <source>cannot take the lock %1: %2</source>
        <translation>无法取得锁 %1：%2</translation>
    </message>
    <message>
        <source>Deskhand is not running</source>
        <translation>Deskhand 没有运行</translation>
    </message>
    <message>
        <source>the sign-in token is fixed by WEGENT_AUTH_TOKEN</source>
        <translation>登录令牌由 WEGENT_AUTH_TOKEN 固定</translation>
    </message>
    <message>
        <source>Change or unset that variable and start again.</source>
        <translation>请修改或取消设置该变量，然后重新启动。</translation>
    </message>
    <message>
        <source>this program has no key store</source>
        <translation>此程序没有密钥库</translation>
    </message>
    <message>
        <source>the secrets were moved, but %1 cannot be removed</source>
        <translation>机密已移走，但无法删除 %1</translation>
    </message>
    <message>
        <source>Remove it by hand; the next start would use it.</source>
        <translation>请手动删除它，否则下次启动会使用它。</translation>
    </message>
    <message>
        <source>%1 could not be read (%2). It was kept as %3 and a new one was begun.</source>
        <translation>无法读取 %1（%2）。它已保留为 %3，并新建了一份。</translation>
    </message>
    <message>
        <source>%1 could not be read (%2) and could not be moved away. Repair or remove it.</source>
        <translation>无法读取 %1（%2），也无法移走它。请修复或删除它。</translation>
    </message>
    <message>
        <source>%1. Defaults are used until it can be read.</source>
        <translation>%1。在能够读取之前使用默认值。</translation>
    </message>
    <message>
        <source>device-config.json: %1. The default is used.</source>
        <translation>device-config.json：%1。使用默认值。</translation>
    </message>
    <message>
        <source>%1 &quot;%2&quot; is not one of %3; %4 is used.</source>
        <translation>%1 的值“%2”不是 %3 之一，改用 %4。</translation>
    </message>
    <message>
        <source>%1 has control characters; they are left out.</source>
        <translation>%1 含有控制字符，已将其去除。</translation>
    </message>
    <message>
        <source>%1 is longer than %2 characters; the rest is left out.</source>
        <translation>%1 超过 %2 个字符，其余部分已舍去。</translation>
    </message>
    <message>
        <source>%1=&quot;%2&quot; is not a positive whole number of seconds (at most %3); %4 s is used.</source>
        <translation>%1=&quot;%2&quot; 不是正整数秒（最大 %3），改用 %4 秒。</translation>
    </message>
    <message>
        <source>no device configuration file is named</source>
        <translation>没有指定设备配置文件</translation>
    </message>
    <message>
        <source>device-config.json: %1. It is ignored.</source>
        <translation>device-config.json：%1。已忽略它。</translation>
    </message>
    <message>
        <source>The device identity could not be saved (%1). It lasts until the program ends.</source>
        <translation>无法保存设备标识（%1）。它只保留到程序结束。</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a key</source>
        <translation>“%1”不是键</translation>
    </message>
    <message>
        <source>must be a whole number %1, not %2</source>
        <translation>必须是 %1 的整数，而不是 %2</translation>
    </message>
    <message>
        <source>must be one of %1, not %2</source>
        <translation>必须是 %1 之一，而不是 %2</translation>
    </message>
    <message>
        <source>must be an absolute path, not %1</source>
        <translation>必须是绝对路径，而不是 %1</translation>
    </message>
    <message>
        <source>every model must be an object with a &quot;name&quot; of 1 to %1 characters</source>
        <translation>每个模型都必须是对象，且“name”为 1 到 %1 个字符</translation>
    </message>
    <message>
        <source>&quot;values&quot; must be an object, not %1</source>
        <translation>“values”必须是对象，而不是 %1</translation>
    </message>
    <message>
        <source>&quot;values&quot; must not hold &quot;api_key&quot;; keys belong into the secret store</source>
        <translation>“values”不能包含“api_key”，密钥应放在密钥库中</translation>
    </message>
    <message>
        <source>&quot;key_secret&quot; must be a string, not %1</source>
        <translation>“key_secret”必须是字符串，而不是 %1</translation>
    </message>
    <message>
        <source>model &quot;%1&quot;: %2</source>
        <translation>模型“%1”：%2</translation>
    </message>
    <message>
        <source>must be a list of at most %1 models, not %2</source>
        <translation>必须是最多 %1 个模型的列表，而不是 %2</translation>
    </message>
    <message>
        <source>model &quot;%1&quot; is there twice; the first one counts</source>
        <translation>模型“%1”出现了两次，以第一个为准</translation>
    </message>
    <message>
        <source>every entry %1</source>
        <translation>每一项%1</translation>
    </message>
    <message>
        <source>from 1 to 16</source>
        <translation>1 到 16</translation>
    </message>
    <message>
        <source>from 1 to 1440, or 0 for no limit</source>
        <translation>1 到 1440，或用 0 表示不限</translation>
    </message>
    <message>
        <source>must be true or false, not %1</source>
        <translation>必须是 true 或 false，而不是 %1</translation>
    </message>
    <message>
        <source>must be the name of a model, or empty, not %1</source>
        <translation>必须是模型的名称或为空，而不是 %1</translation>
    </message>
    <message>
        <source>must not be above &quot;ceiling&quot; (%1), not &quot;%2&quot;</source>
        <translation>不能高于“ceiling”（%1），而设置的是“%2”</translation>
    </message>
    <message>
        <source>must be the name of a model in &quot;models&quot;, not &quot;%1&quot;</source>
        <translation>必须是“models”中某个模型的名称，而不是“%1”</translation>
    </message>
    <message>
        <source>%1 cannot be used (%2). It was kept as %3; the defaults count now.</source>
        <translation>无法使用 %1（%2）。它已保留为 %3，现在采用默认值。</translation>
    </message>
    <message>
        <source>%1 cannot be used (%2) and could not be set aside; the defaults count now.</source>
        <translation>无法使用 %1（%2），也无法移走它，现在采用默认值。</translation>
    </message>
    <message>
        <source>line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message>
        <source>%1: no task is accepted until &quot;allowed_roots&quot; is corrected.</source>
        <translation>%1：在更正“allowed_roots”之前不接受任何任务。</translation>
    </message>
    <message>
        <source>%1: &quot;version&quot; is %2, this program knows %3; only what it knows is used.</source>
        <translation>%1：“version”为 %2，而此程序支持 %3；只使用它认识的部分。</translation>
    </message>
    <message>
        <source>the settings could not be saved (%1)</source>
        <translation>无法保存设置（%1）</translation>
    </message>
    <message>
        <source>They stay until the program ends. Make room or the folder writable, then save again.</source>
        <translation>它们会保留到程序结束。请腾出空间或让目录可写，然后再次保存。</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>a boolean</source>
        <translation>布尔值</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>a string</source>
        <translation>字符串</translation>
    </message>
    <message>
        <source>&quot;%1&quot; %2</source>
        <translation>“%1”%2</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>the secrets are being moved already</source>
        <translation>机密正在移动中</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>请稍后重试。</translation>
    </message>
    <message>
        <source>the name of a secret must have 1 to %1 characters</source>
        <translation>机密的名称必须为 1 到 %1 个字符</translation>
    </message>
    <message>
        <source>a secret may have at most %1 characters</source>
        <translation>机密最多 %1 个字符</translation>
    </message>
    <message>
        <source>a file only you can read</source>
        <translation>仅你可读取的文件</translation>
    </message>
    <message>
        <source>%1 cannot be used (%2)</source>
        <translation>无法使用 %1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be used (%2); it was kept as %3</source>
        <translation>无法使用 %1（%2），它已保留为 %3</translation>
    </message>
    <message>
        <source>Sign in again.</source>
        <translation>请重新登录。</translation>
    </message>
    <message>
        <source>this session only</source>
        <translation>仅限本次会话</translation>
    </message>
    <message>
        <source>the system&apos;s key store</source>
        <translation>系统密钥库</translation>
    </message>
    <message>
        <source>it is locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>this system has no key store (%1)</source>
        <translation>系统没有密钥库（%1）</translation>
    </message>
    <message>
        <source>Choose where to keep the sign-in.</source>
        <translation>请选择登录信息的保存方式。</translation>
    </message>
    <message>
        <source>the key store refused: %1</source>
        <translation>密钥库拒绝了请求：%1</translation>
    </message>
    <message>
        <source>Unlock the key store.</source>
        <translation>请解锁密钥库。</translation>
    </message>
    <message>
        <source>the key store did not answer within %1 s</source>
        <translation>密钥库在 %1 秒内没有响应</translation>
    </message>
    <message>
        <source>the task history is closed</source>
        <translation>任务历史已关闭</translation>
    </message>
    <message>
        <source>the task history is not open</source>
        <translation>任务历史没有打开</translation>
    </message>
    <message>
        <source>reading the task history: %1</source>
        <translation>读取任务历史时：%1</translation>
    </message>
    <message>
        <source>cannot create %1</source>
        <translation>无法创建 %1</translation>
    </message>
    <message>
        <source>The task history was written by a newer version of this program. It was kept as %1 and a new one was started.</source>
        <translation>任务历史由此程序的更新版本写入。它已保留为 %1，并新建了一份。</translation>
    </message>
    <message>
        <source>The task history was damaged (%1). It was kept as %2 and a new one was started.</source>
        <translation>任务历史已损坏（%1）。它已保留为 %2，并新建了一份。</translation>
    </message>
    <message>
        <source>The task history cannot be stored in %1 (%2). It is kept in memory until that works again.</source>
        <translation>任务历史无法保存到 %1（%2）。在恢复之前只保留在内存中。</translation>
    </message>
    <message>
        <source>The task history cannot be written to %1 (%2). It is kept in memory and tried again.</source>
        <translation>任务历史无法写入 %1（%2）。它保留在内存中，稍后会再次尝试。</translation>
    </message>
    <message>
        <source>Stopped before it began.</source>
        <translation>在开始之前已停止。</translation>
    </message>
    <message>
        <source>Stopped by the user.</source>
        <translation>已被用户停止。</translation>
    </message>
    <message>
        <source>The server has ended this turn.</source>
        <translation>服务器已结束本轮。</translation>
    </message>
    <message>
        <source>stopped by the owner</source>
        <translation>已由你停止</translation>
    </message>
    <message>
        <source>Deskhand was stopped</source>
        <translation>Deskhand 已停止</translation>
    </message>
    <message>
        <source>the prompt is empty</source>
        <translation>提示词为空</translation>
    </message>
    <message>
        <source>there is no task %1</source>
        <translation>没有任务 %1</translation>
    </message>
    <message>
        <source>Blocked by the sandbox: %1</source>
        <translation>被沙箱阻止：%1</translation>
    </message>
    <message>
        <source>The program stopped while this turn was running.</source>
        <translation>本轮运行时程序停止了。</translation>
    </message>
    <message>
        <source>The program stopped before this turn began.</source>
        <translation>本轮开始之前程序停止了。</translation>
    </message>
    <message>
        <source>%1 minutes</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>%1 seconds</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>allowed once</source>
        <translation>已允许一次</translation>
    </message>
    <message>
        <source>allowed for this task</source>
        <translation>本次任务已允许</translation>
    </message>
    <message>
        <source>there is no question &quot;%1&quot;</source>
        <translation>没有问题“%1”</translation>
    </message>
    <message>
        <source>question &quot;%1&quot; has no answer</source>
        <translation>问题“%1”没有答案</translation>
    </message>
    <message>
        <source>A command rule forbids &quot;%1&quot;.</source>
        <translation>命令规则禁止“%1”。</translation>
    </message>
    <message>
        <source>A command rule forbids it: %1</source>
        <translation>命令规则禁止它：%1</translation>
    </message>
    <message>
        <source>Allowed for this task before.</source>
        <translation>此任务之前已允许。</translation>
    </message>
    <message>
        <source>No answer from the owner in %1.</source>
        <translation>你在 %1内没有答复。</translation>
    </message>
    <message>
        <source>The engine did not take the decision within 10 seconds.</source>
        <translation>引擎没有在 10 秒内接受决定。</translation>
    </message>
    <message>
        <source>The request was withdrawn: %1</source>
        <translation>请求已撤回：%1</translation>
    </message>
    <message>
        <source>The decision could not be delivered: %1</source>
        <translation>无法送达决定：%1</translation>
    </message>
    <message>
        <source>The request is already answered: %1 by %2.</source>
        <translation>请求已经答复：%1（%2）。</translation>
    </message>
    <message>
        <source>The request is no longer waiting: %1.</source>
        <translation>请求已不再等待：%1。</translation>
    </message>
    <message>
        <source>There is no request &quot;%1&quot;.</source>
        <translation>没有请求“%1”。</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not offered for this request</source>
        <translation>“%1”不是此请求的选项</translation>
    </message>
    <message>
        <source>Offered: %1.</source>
        <translation>可选：%1。</translation>
    </message>
    <message>
        <source>%1 by %2</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>It would make this program&apos;s own files writable (%1).</source>
        <translation>它会使此程序自己的文件变为可写（%1）。</translation>
    </message>
    <message>
        <source>It would open this program&apos;s own files (%1).</source>
        <translation>它会开放此程序自己的文件（%1）。</translation>
    </message>
    <message>
        <source>It nests shells too deeply to be understood.</source>
        <translation>它嵌套的 shell 太深，无法理解。</translation>
    </message>
    <message>
        <source>A task may not answer its own requests.</source>
        <translation>任务不能答复自己的请求。</translation>
    </message>
    <message>
        <source>It reads the system&apos;s key store.</source>
        <translation>它会读取系统密钥库。</translation>
    </message>
    <message>
        <source>It changes a folder that holds this program&apos;s own files.</source>
        <translation>它会更改保存此程序自己文件的目录。</translation>
    </message>
    <message>
        <source>It deletes a root, home, current or parent folder with everything in it (%1).</source>
        <translation>它会删除根目录、主目录、当前目录或上级目录及其全部内容（%1）。</translation>
    </message>
    <message>
        <source>It deletes a folder that holds this program&apos;s own files.</source>
        <translation>它会删除保存此程序自己文件的目录。</translation>
    </message>
    <message>
        <source>It changes this program&apos;s own files (%1).</source>
        <translation>它会更改此程序自己的文件（%1）。</translation>
    </message>
    <message>
        <source>It reads where this program keeps its secrets (%1).</source>
        <translation>它会读取此程序保存机密的位置（%1）。</translation>
    </message>
    <message>
        <source>The program is closing.</source>
        <translation>程序正在关闭。</translation>
    </message>
    <message>
        <source>a command rule forbids it: %1</source>
        <translation>命令规则禁止它：%1</translation>
    </message>
    <message>
        <source>it wants more than its profile gives, and nobody may be asked</source>
        <translation>它需要的权限超过其配置，而且不能询问任何人</translation>
    </message>
    <message>
        <source>the command was not allowed</source>
        <translation>没有允许该命令</translation>
    </message>
    <message>
        <source>The command was cancelled.</source>
        <translation>命令已取消。</translation>
    </message>
    <message>
        <source>The command is over.</source>
        <translation>命令已结束。</translation>
    </message>
    <message>
        <source>The command reached %1</source>
        <translation>命令访问了 %1</translation>
    </message>
    <message>
        <source>The command was kept from %1 (%2)</source>
        <translation>已阻止命令访问 %1（%2）</translation>
    </message>
    <message>
        <source>%1 port %2</source>
        <translation>%1 端口 %2</translation>
    </message>
    <message>
        <source>The engine stopped.</source>
        <translation>引擎已停止。</translation>
    </message>
    <message>
        <source>This device is stopping and takes no new tasks.</source>
        <translation>此设备正在停止，不接受新任务。</translation>
    </message>
    <message>
        <source>Turn %1 of task %2 was accepted before.</source>
        <translation>任务 %2 的第 %1 轮之前已接受。</translation>
    </message>
    <message>
        <source>%1 turns are waiting already.</source>
        <translation>已有 %1 轮在等待。</translation>
    </message>
    <message>
        <source>A newer message of the same task took its place.</source>
        <translation>同一任务的更新消息取代了它。</translation>
    </message>
    <message>
        <source>Nothing of task %1 is active.</source>
        <translation>任务 %1 没有正在进行的内容。</translation>
    </message>
    <message>
        <source>Turn %1 of task %2 is not active.</source>
        <translation>任务 %2 的 %1 轮没有在进行。</translation>
    </message>
    <message>
        <source>The device is stopping.</source>
        <translation>设备正在停止。</translation>
    </message>
    <message>
        <source>The task history does not answer; this turn starts a new conversation.</source>
        <translation>任务历史没有响应，本轮将开始新的对话。</translation>
    </message>
    <message>
        <source>Permission level lowered from %1 to %2: this device allows no more.</source>
        <translation>权限级别已从 %1 降为 %2：此设备不允许更高的级别。</translation>
    </message>
    <message>
        <source>This turn is being stopped or is over.</source>
        <translation>本轮正在停止或已结束。</translation>
    </message>
    <message>
        <source>The turn is over.</source>
        <translation>本轮已结束。</translation>
    </message>
    <message>
        <source>%1 belongs to Deskhand itself; tasks cannot work there.</source>
        <translation>%1 属于 Deskhand 自身，任务不能在那里工作。</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>请选择其他目录。</translation>
    </message>
    <message>
        <source>%1 holds Deskhand&apos;s own folder %2, which a task must not change.</source>
        <translation>%1 含有 Deskhand 自己的目录 %2，任务不能更改它。</translation>
    </message>
    <message>
        <source>Choose a folder below it, or run the task with :read-only.</source>
        <translation>请选择其下的目录，或以 :read-only 运行任务。</translation>
    </message>
    <message>
        <source>The task has no id.</source>
        <translation>任务没有编号。</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a task id.</source>
        <translation>“%1”不是任务编号。</translation>
    </message>
    <message>
        <source>The turn of task %1 has no id.</source>
        <translation>任务 %1 的这一轮没有编号。</translation>
    </message>
    <message>
        <source>The turn id of task %1 is too long.</source>
        <translation>任务 %1 的轮次编号太长。</translation>
    </message>
    <message>
        <source>The folder %1 cannot be created.</source>
        <translation>无法创建目录 %1。</translation>
    </message>
    <message>
        <source>Check the permissions and the free space there.</source>
        <translation>请检查那里的权限和可用空间。</translation>
    </message>
    <message>
        <source>The folder &quot;%1&quot; is not an absolute path.</source>
        <translation>目录“%1”不是绝对路径。</translation>
    </message>
    <message>
        <source>The folder %1 is outside the folders this device allows.</source>
        <translation>目录 %1 不在此设备允许的目录之内。</translation>
    </message>
    <message>
        <source>Add it to the allowed folders in the settings.</source>
        <translation>请在设置中把它加入允许的目录。</translation>
    </message>
    <message>
        <source>The folder %1 does not exist.</source>
        <translation>目录 %1 不存在。</translation>
    </message>
    <message>
        <source>%1 is not a folder.</source>
        <translation>%1 不是目录。</translation>
    </message>
    <message>
        <source>The folder %1 cannot be read.</source>
        <translation>无法读取目录 %1。</translation>
    </message>
    <message>
        <source>Check its permissions.</source>
        <translation>请检查其权限。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>no connection to %1 within %2 ms</source>
        <translation>在 %2 毫秒内无法连接 %1</translation>
    </message>
    <message>
        <source>no connection to %1 through the proxy %2:%3 within %4 ms</source>
        <translation>在 %4 毫秒内无法通过代理 %2:%3 连接 %1</translation>
    </message>
    <message>
        <source>null</source>
        <translation>null 值</translation>
    </message>
    <message>
        <source>the sandbox helper</source>
        <translation>沙箱辅助程序</translation>
    </message>
    <message>
        <source>the bundled bubblewrap</source>
        <translation>随附的 bubblewrap</translation>
    </message>
    <message>
        <source>the bundled bubblewrap (%1)</source>
        <translation>随附的 bubblewrap（%1）</translation>
    </message>
    <message>
        <source>bubblewrap (%1)</source>
        <translation>bubblewrap（%1）</translation>
    </message>
    <message>
        <source>%1 %2 cannot be read</source>
        <translation>无法读取%1 %2</translation>
    </message>
    <message>
        <source>%1 %2 is not the one that belongs to this program</source>
        <translation>%1 %2 不属于此程序</translation>
    </message>
    <message>
        <source>this program brings no bubblewrap</source>
        <translation>此程序没有随附 bubblewrap</translation>
    </message>
    <message>
        <source>the bundled bubblewrap is missing</source>
        <translation>缺少随附的 bubblewrap</translation>
    </message>
    <message>
        <source>the bundled bubblewrap %1 lies where commands may write</source>
        <translation>随附的 bubblewrap %1 位于命令可写的位置</translation>
    </message>
    <message>
        <source>the bundled bubblewrap %1 lies where any user may write</source>
        <translation>随附的 bubblewrap %1 位于任何用户都可写的位置</translation>
    </message>
    <message>
        <source>the bundled bubblewrap %1 cannot do what the wall needs</source>
        <translation>随附的 bubblewrap %1 不具备隔离墙所需的功能</translation>
    </message>
    <message>
        <source>the bubblewrap at %1 is set-user-id</source>
        <translation>%1 处的 bubblewrap 是 set-user-id 程序</translation>
    </message>
    <message>
        <source>the bubblewrap at %1 built no wall: %2</source>
        <translation>%1 处的 bubblewrap 无法建立隔离墙：%2</translation>
    </message>
    <message>
        <source>the outer wall around an engine is made by bubblewrap, which exists on Linux only</source>
        <translation>引擎的外层隔离墙由 bubblewrap 建立，而它只存在于 Linux</translation>
    </message>
    <message>
        <source>this system has no %1</source>
        <translation>此系统没有 %1</translation>
    </message>
    <message>
        <source>update macOS, or let another sandbox be the wall</source>
        <translation>请更新 macOS，或让其他沙箱充当隔离墙</translation>
    </message>
    <message>
        <source>%1 is missing beside the program</source>
        <translation>程序旁缺少 %1</translation>
    </message>
    <message>
        <source>inside another sandbox the network can only be full on this system</source>
        <translation>在此系统上，另一个沙箱内的网络只能是 full</translation>
    </message>
    <message>
        <source>limits must be counted by the kernel, but this system has no control groups</source>
        <translation>限额必须由内核统计，但此系统没有控制组</translation>
    </message>
    <message>
        <source>no folder for temporary files could be made: %1</source>
        <translation>无法创建临时文件目录：%1</translation>
    </message>
    <message>
        <source>the programs of the sandbox lie inside the writable root %1</source>
        <translation>沙箱的程序位于可写目录 %1 内</translation>
    </message>
    <message>
        <source>install Deskhand outside of the workspace</source>
        <translation>请把 Deskhand 安装在工作区之外</translation>
    </message>
    <message>
        <source>sandbox-exec started the command&apos;s stage without a wall around it</source>
        <translation>sandbox-exec 启动命令时没有建立隔离墙</translation>
    </message>
    <message>
        <source>report the version of this macOS</source>
        <translation>请报告此 macOS 的版本</translation>
    </message>
    <message>
        <source>this macOS does not understand the policy text: %1</source>
        <translation>此 macOS 无法理解策略文本：%1</translation>
    </message>
    <message>
        <source>the sandbox around this program is its wall</source>
        <translation>此程序外围的沙箱就是它的隔离墙</translation>
    </message>
    <message>
        <source>%1 is already running for %2 (pid %3)</source>
        <translation>%1 已在为 %2 运行（进程 %3）</translation>
    </message>
    <message>
        <source>what a profile means for a single path is not told on Windows</source>
        <translation>在 Windows 上无法说明某个配置对单个路径的含义</translation>
    </message>
    <message>
        <source>report the version of this Windows</source>
        <translation>请报告此 Windows 的版本</translation>
    </message>
    <message>
        <source>the access lists of the task&apos;s folders could not be changed</source>
        <translation>无法修改任务文件夹的访问控制列表</translation>
    </message>
    <message>
        <source>an unknown rule was ignored: %1</source>
        <translation>忽略了未知规则：%1</translation>
    </message>
    <message>
        <source>the program was not found</source>
        <translation>找不到该程序</translation>
    </message>
    <message>
        <source>a batch file is read by cmd.exe, which splits its arguments by rules of its own; it is not started directly</source>
        <translation>批处理文件由 cmd.exe 读取，而它按自己的规则拆分参数；因此不会直接启动</translation>
    </message>
    <message>
        <source>a proxy on the loopback cannot be reached from an AppContainer, so listed hosts are not offered on Windows</source>
        <translation>AppContainer 无法访问回环地址上的代理，因此 Windows 上不提供仅限所列主机的网络</translation>
    </message>
    <message>
        <source>writing the whole disk cannot be given to an AppContainer</source>
        <translation>无法让 AppContainer 写入整个磁盘</translation>
    </message>
    <message>
        <source>without AppContainers only work that writes nothing can be held</source>
        <translation>没有 AppContainer 时，只能限制不写入任何内容的工作</translation>
    </message>
    <message>
        <source>degraded: a restricted token holds writing, not reading</source>
        <translation>已降级：受限令牌只能限制写入，不能限制读取</translation>
    </message>
    <message>
        <source>reading is limited to what Windows opens to all containers, and to the folders of the task</source>
        <translation>只能读取 Windows 对所有容器开放的内容以及任务的文件夹</translation>
    </message>
    <message>
        <source>a pattern may only deny</source>
        <translation>模式只能用于拒绝</translation>
    </message>
    <message>
        <source>a rule names no path of a local drive</source>
        <translation>有规则没有指明本地驱动器上的路径</translation>
    </message>
    <message>
        <source>a whole drive cannot be given to a command for writing</source>
        <translation>不能让命令写入整个驱动器</translation>
    </message>
    <message>
        <source>an access list names paths, so a rule that denies by pattern cannot be held inside the task&apos;s folders</source>
        <translation>访问控制列表只能列出路径，因此在任务文件夹内无法执行按模式拒绝的规则</translation>
    </message>
    <message>
        <source>the working directory does not exist</source>
        <translation>工作目录不存在</translation>
    </message>
    <message>
        <source>the working directory is not visible under the profile</source>
        <translation>在此配置下看不到工作目录</translation>
    </message>
    <message>
        <source>no AppContainer could be made</source>
        <translation>无法创建 AppContainer</translation>
    </message>
    <message>
        <source>a loopback network of its own is not offered on Windows</source>
        <translation>Windows 上不提供独立的回环网络</translation>
    </message>
    <message>
        <source>a restricted token cannot hide files from being read</source>
        <translation>受限令牌无法隐藏文件使其不被读取</translation>
    </message>
    <message>
        <source>a restricted token cannot close the network</source>
        <translation>受限令牌无法关闭网络</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>owner</source>
        <translation>你</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>backend</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>time limit</source>
        <translation>时限</translation>
    </message>
    <message>
        <source>what answers there does not speak HTTP</source>
        <translation>那里的应答不是 HTTP</translation>
    </message>
    <message>
        <source>%1 is kept secret by the owner</source>
        <translation>%1 是设备主人的机密路径</translation>
    </message>
    <message>
        <source>%1 lies in a secret path of the owner</source>
        <translation>%1 位于设备主人的机密路径中</translation>
    </message>
    <message>
        <source>work in another folder, or take it off the secret paths in the settings</source>
        <translation>请在其他文件夹中工作，或在设置中将其从机密路径移除</translation>
    </message>
    <message>
        <source>a folder with a secret path of the owner has too many names to be searched</source>
        <translation>含有主人机密路径的文件夹名称过多，无法查找</translation>
    </message>
    <message>
        <source>name the whole folder in the settings</source>
        <translation>请在设置中填写整个文件夹</translation>
    </message>
    <message>
        <source>must be a list of at most %1 entries, not %2</source>
        <translation>必须是最多 %1 项的列表，而不是 %2</translation>
    </message>
    <message>
        <source>must be a text, not %1</source>
        <translation>必须是文本，而不是 %1</translation>
    </message>
    <message>
        <source>must be an object, not %1</source>
        <translation>必须是对象，而不是 %1</translation>
    </message>
    <message>
        <source>from %1 to %2, or 0 for the usual</source>
        <translation>%1 到 %2，或 0 表示通常值</translation>
    </message>
    <message>
        <source>must be an absolute path or begin with &quot;~/&quot;, not &quot;%1&quot;</source>
        <translation>必须是绝对路径或以 "~/" 开头，而不是 "%1"</translation>
    </message>
    <message>
        <source>must not contain &quot;.&quot; or &quot;..&quot;, not &quot;%1&quot;</source>
        <translation>不能包含 "." 或 ".."，而不是 "%1"</translation>
    </message>
    <message>
        <source>must be less than the whole disk or the whole home folder, not &quot;%1&quot;</source>
        <translation>不能是整个磁盘或整个主目录，而不是 "%1"</translation>
    </message>
    <message>
        <source>may have &quot;*&quot;, &quot;?&quot; and &quot;[&quot; in its last name only, not &quot;%1&quot;</source>
        <translation>"*"、"?" 和 "[" 只能出现在最后一个名称中，而不是 "%1"</translation>
    </message>
    <message>
        <source>must name more than &quot;*&quot;, not &quot;%1&quot;</source>
        <translation>不能只写 "*"，而不是 "%1"</translation>
    </message>
    <message>
        <source>must be a host name, *.name for its sub-domains or **.name for both, not &quot;%1&quot;</source>
        <translation>必须是主机名，*.名称 表示其子域，**.名称 表示两者，而不是 "%1"</translation>
    </message>
    <message>
        <source>%1: no task is accepted until &quot;sandbox&quot; is corrected.</source>
        <translation>%1：在更正 "sandbox" 之前不接受任务。</translation>
    </message>
    <message>
        <source>It would open a secret path of the owner (%1).</source>
        <translation>它会打开设备主人的机密路径（%1）。</translation>
    </message>
    <message>
        <source>It changes a secret path of the owner (%1).</source>
        <translation>它会更改设备主人的机密路径（%1）。</translation>
    </message>
    <message>
        <source>It reads a secret path of the owner (%1).</source>
        <translation>它会读取设备主人的机密路径（%1）。</translation>
    </message>
    <message>
        <source>The settings of this device deny the host %1.</source>
        <translation>此设备的设置禁止访问主机 %1。</translation>
    </message>
    <message>
        <source>The settings of this device allow the host %1.</source>
        <translation>此设备的设置允许访问主机 %1。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::AboutDialog</name>
    <message>
        <source>About Deskhand</source>
        <translation>关于 Deskhand</translation>
    </message>
    <message>
        <source>Version %1</source>
        <translation>版本 %1</translation>
    </message>
    <message>
        <source>Qt %1</source>
        <translation>Qt %1</translation>
    </message>
    <message>
        <source>System: %1</source>
        <translation>系统：%1</translation>
    </message>
    <message>
        <source>Codex %1</source>
        <translation>Codex %1</translation>
    </message>
    <message>
        <source>Device id: %1</source>
        <translation>设备标识：%1</translation>
    </message>
    <message>
        <source>Deskhand</source>
        <translation>Deskhand</translation>
    </message>
    <message>
        <source>Makes this computer a device of a Wegent AI workspace.</source>
        <translation>让这台电脑成为 Wegent AI 工作区的一台设备。</translation>
    </message>
    <message>
        <source>Licence: Apache-2.0</source>
        <translation>许可证：Apache-2.0</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Cop&amp;y</source>
        <translation>复制(&amp;Y)</translation>
    </message>
</context>
<context>
    <name>deskhand::app::AccountPage</name>
    <message>
        <source>Sa&amp;ve</source>
        <translation>保存(&amp;V)</translation>
    </message>
    <message>
        <source>Sign &amp;out</source>
        <translation>退出登录(&amp;O)</translation>
    </message>
    <message>
        <source>Accept tasks from the se&amp;rver</source>
        <translation>接受服务器的任务(&amp;R)</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>&amp;Backend address:</source>
        <translation>服务器地址(&amp;B)：</translation>
    </message>
    <message>
        <source>Automatic: the same as the backend</source>
        <translation>自动：与服务器地址相同</translation>
    </message>
    <message>
        <source>So&amp;cket address:</source>
        <translation>Socket 地址(&amp;C)：</translation>
    </message>
    <message>
        <source>Paste a new token here</source>
        <translation>在此粘贴新的令牌</translation>
    </message>
    <message>
        <source>Access &amp;token:</source>
        <translation>访问令牌(&amp;T)：</translation>
    </message>
    <message>
        <source>This device</source>
        <translation>本设备</translation>
    </message>
    <message>
        <source>Device &amp;name:</source>
        <translation>设备名称(&amp;N)：</translation>
    </message>
    <message>
        <source>Cop&amp;y</source>
        <translation>复制(&amp;Y)</translation>
    </message>
    <message>
        <source>Device &amp;id:</source>
        <translation>设备标识(&amp;I)：</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Tasks at the same ti&amp;me:</source>
        <translation>同时运行的任务数(&amp;M)：</translation>
    </message>
    <message>
        <source>1 to %1 characters, none of them invisible.</source>
        <translation>1 到 %1 个字符，不能包含不可见字符。</translation>
    </message>
    <message numerus="yes">
        <source>This computer has %n core(s); tasks may slow each other down.</source>
        <translation>
            <numerusform>这台电脑有 %n 个核心，任务之间可能互相拖慢。</numerusform>
        </translation>
    </message>
    <message>
        <source>Sign-in: %1</source>
        <translation>登录状态：%1</translation>
    </message>
    <message>
        <source>Signed out.</source>
        <translation>已退出登录。</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>server url web workspace host connection</source>
        <translation>服务器 后端 网址 地址 连接 网页工作区</translation>
    </message>
    <message>
        <source>websocket wss server url</source>
        <translation>套接字 长连接 服务器 地址</translation>
    </message>
    <message>
        <source>sign in sign out login password account</source>
        <translation>登录 退出 令牌 密码 账号</translation>
    </message>
    <message>
        <source>accept tasks from the server pause</source>
        <translation>接受任务 暂停 服务器</translation>
    </message>
    <message>
        <source>parallel limit queue</source>
        <translation>并行 同时 队列 上限</translation>
    </message>
</context>
<context>
    <name>deskhand::app::AddressCheck</name>
    <message>
        <source>This is not an address. Example: https://wegent.example.com</source>
        <translation>这不是有效地址。示例：https://wegent.example.com</translation>
    </message>
    <message>
        <source>Use one of: %1</source>
        <translation>请使用以下之一：%1</translation>
    </message>
    <message>
        <source>Leave user name and password out of the address.</source>
        <translation>地址中请不要包含用户名和密码。</translation>
    </message>
    <message>
        <source>Leave out what follows ? or #.</source>
        <translation>请去掉 ? 或 # 之后的内容。</translation>
    </message>
    <message>
        <source>Without encryption only addresses of your own network are allowed.</source>
        <translation>未加密的连接只允许用于本地网络地址。</translation>
    </message>
    <message>
        <source>Not encrypted: others on this network can read along.</source>
        <translation>未加密：同一网络中的其他人可以看到内容。</translation>
    </message>
    <message>
        <source>Shortened to the base address: %1</source>
        <translation>已缩短为基础地址：%1</translation>
    </message>
</context>
<context>
    <name>deskhand::app::CloseDialog</name>
    <message>
        <source>Do &amp;not ask again</source>
        <translation>不再询问(&amp;N)</translation>
    </message>
    <message>
        <source>Keep Deskhand running?</source>
        <translation>让 Deskhand 继续运行？</translation>
    </message>
    <message>
        <source>Deskhand can stay in the tray and go on taking tasks when its window is closed.</source>
        <translation>关闭窗口后，Deskhand 可以留在托盘中并继续接受任务。</translation>
    </message>
    <message>
        <source>&amp;Keep in background</source>
        <translation>在后台继续运行(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
</context>
<context>
    <name>deskhand::app::Desktop</name>
    <message>
        <source>Your desktop has no tray. Deskhand stays reachable from its launcher.</source>
        <translation>此桌面没有托盘，可以从启动器打开 Deskhand。</translation>
    </message>
    <message>
        <source>Deskhand cannot start</source>
        <translation>Deskhand 无法启动</translation>
    </message>
    <message>
        <source>No request is waiting</source>
        <translation>没有待处理的请求</translation>
    </message>
    <message>
        <source>It was answered or is no longer needed.</source>
        <translation>请求已得到答复或不再需要。</translation>
    </message>
    <message>
        <source>Deskhand</source>
        <translation>Deskhand</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
</context>
<context>
    <name>deskhand::app::EnginePage</name>
    <message>
        <source>&amp;Browse…</source>
        <translation>浏览(&amp;B)…</translation>
    </message>
    <message>
        <source>&amp;Restart engine</source>
        <translation>重启引擎(&amp;R)</translation>
    </message>
    <message>
        <source>Codex</source>
        <translation>Codex</translation>
    </message>
    <message>
        <source>Automatic: PATH and the usual places</source>
        <translation>自动：PATH 和常用位置</translation>
    </message>
    <message>
        <source>Engine &amp;program:</source>
        <translation>引擎程序(&amp;P)：</translation>
    </message>
    <message>
        <source>Choose the Codex program</source>
        <translation>选择 Codex 程序</translation>
    </message>
    <message>
        <source>State: %1</source>
        <translation>状态：%1</translation>
    </message>
    <message>
        <source>Give the whole path of the program.</source>
        <translation>请填写程序的完整路径。</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>没有这个文件。</translation>
    </message>
    <message>
        <source>This file is not a program that can be started.</source>
        <translation>这个文件不是可以启动的程序。</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>重启引擎</translation>
    </message>
    <message numerus="yes">
        <source>%n running task(s) will be interrupted.</source>
        <translation>
            <numerusform>正在运行的 %n 个任务会被中断。</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Restart now</source>
        <translation>立即重启(&amp;R)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>codex path binary version</source>
        <translation>引擎 程序 路径 版本</translation>
    </message>
    <message>
        <source>restart engine</source>
        <translation>重启 引擎</translation>
    </message>
</context>
<context>
    <name>deskhand::app::EntryList</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
</context>
<context>
    <name>deskhand::app::HistoryWindow</name>
    <message>
        <source>Tasks and history - Deskhand</source>
        <translation>任务与历史 - Deskhand</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Filter by title or folder</source>
        <translation>按标题或目录筛选</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Open &amp;folder</source>
        <translation>打开目录(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Copy id</source>
        <translation>复制标识(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;New task…</source>
        <translation>新建任务(&amp;N)…</translation>
    </message>
    <message>
        <source>No tasks yet. Start one here or from the web workspace.</source>
        <translation>还没有任务。可以在这里或网页工作区中开始一个。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::LogModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>deskhand::app::LogsPage</name>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Errors only</source>
        <translation>仅错误</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>普通</translation>
    </message>
    <message>
        <source>Detailed</source>
        <translation>详细</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>&amp;Written to the log:</source>
        <translation>写入日志的内容(&amp;W)：</translation>
    </message>
    <message>
        <source>log level debug trace verbose diagnosis</source>
        <translation>日志 级别 调试 详细 诊断</translation>
    </message>
    <message>
        <source>&amp;Open folder</source>
        <translation>打开文件夹(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Folder of the log files:</source>
        <translation>日志文件夹(&amp;F)：</translation>
    </message>
    <message>
        <source>Takes more room on the disk. Keys and tokens are never written.</source>
        <translation>会占用更多磁盘空间。密钥和令牌绝不会写入。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::LogsWindow</name>
    <message>
        <source>&amp;Follow</source>
        <translation>跟随(&amp;F)</translation>
    </message>
    <message>
        <source>Logs - Deskhand</source>
        <translation>日志 - Deskhand</translation>
    </message>
    <message>
        <source>Lowest level shown</source>
        <translation>显示的最低级别</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>全部级别</translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation>信息及以上</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Search, or /regular expression/</source>
        <translation>搜索，或 /正则表达式/</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Open folder</source>
        <translation>打开目录(&amp;O)</translation>
    </message>
    <message>
        <source>C&amp;lear view</source>
        <translation>清空显示(&amp;L)</translation>
    </message>
    <message>
        <source>All sources</source>
        <translation>全部来源</translation>
    </message>
    <message>
        <source>This regular expression cannot be read: %1</source>
        <translation>无法识别此正则表达式：%1</translation>
    </message>
</context>
<context>
    <name>deskhand::app::ModelDialog</name>
    <message>
        <source>&amp;Get list</source>
        <translation>获取列表(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Edit the model</source>
        <translation>编辑模型</translation>
    </message>
    <message>
        <source>Stored. Type to replace it.</source>
        <translation>已保存，输入新值可替换。</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>&amp;Provider:</source>
        <translation>服务商(&amp;P)：</translation>
    </message>
    <message>
        <source>Base &amp;address:</source>
        <translation>基础地址(&amp;A)：</translation>
    </message>
    <message>
        <source>OpenAI Responses</source>
        <translation>OpenAI Responses</translation>
    </message>
    <message>
        <source>OpenAI Chat Completions</source>
        <translation>OpenAI Chat Completions</translation>
    </message>
    <message>
        <source>Anthropic Messages</source>
        <translation>Anthropic Messages</translation>
    </message>
    <message>
        <source>P&amp;rotocol:</source>
        <translation>协议(&amp;R)：</translation>
    </message>
    <message>
        <source>API &amp;key:</source>
        <translation>API 密钥(&amp;K)：</translation>
    </message>
    <message>
        <source>&amp;Model id:</source>
        <translation>模型标识(&amp;M)：</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>&amp;Context window:</source>
        <translation>上下文窗口(&amp;C)：</translation>
    </message>
    <message>
        <source>&amp;Name:</source>
        <translation>名称(&amp;N)：</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Keys are made at %1</source>
        <translation>密钥在此创建：%1</translation>
    </message>
    <message>
        <source>Runs on this computer; no key is needed.</source>
        <translation>在这台电脑上运行，不需要密钥。</translation>
    </message>
    <message>
        <source>1 to 64 characters, none of them invisible.</source>
        <translation>1 到 64 个字符，不能包含不可见字符。</translation>
    </message>
    <message>
        <source>Another model has this name.</source>
        <translation>已有同名的模型。</translation>
    </message>
    <message>
        <source>Give the base address of the provider.</source>
        <translation>请填写服务商的基础地址。</translation>
    </message>
    <message>
        <source>Give the id of the model.</source>
        <translation>请填写模型标识。</translation>
    </message>
    <message>
        <source>This provider needs a key.</source>
        <translation>此服务商需要密钥。</translation>
    </message>
    <message>
        <source>The key could not be stored: %1</source>
        <translation>无法保存密钥：%1</translation>
    </message>
    <message>
        <source>Asking the provider…</source>
        <translation>正在询问服务商…</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) offered.</source>
        <translation>
            <numerusform>提供 %n 个模型。</numerusform>
        </translation>
    </message>
    <message>
        <source>Testing with a real question and a tool call…</source>
        <translation>正在用真实问题和一次工具调用进行测试…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Remo&amp;ve</source>
        <translation>移除(&amp;V)</translation>
    </message>
    <message>
        <source>Removes the stored key when you save.</source>
        <translation>保存时移除已存储的密钥。</translation>
    </message>
    <message>
        <source>The stored key is removed when you save.</source>
        <translation>保存时将移除已存储的密钥。</translation>
    </message>
    <message>
        <source>The key could not be removed: %1</source>
        <translation>无法移除密钥：%1</translation>
    </message>
</context>
<context>
    <name>deskhand::app::ModelTestText</name>
    <message>
        <source>Works.</source>
        <translation>可用。</translation>
    </message>
    <message>
        <source>First answer after %1 ms, everything after %2 ms.</source>
        <translation>%1 毫秒后收到首个回应，%2 毫秒后全部完成。</translation>
    </message>
    <message>
        <source>Tool calls: yes.</source>
        <translation>工具调用：支持。</translation>
    </message>
    <message>
        <source>Tool calls: no.</source>
        <translation>工具调用：不支持。</translation>
    </message>
    <message>
        <source>Context window: %1 tokens.</source>
        <translation>上下文窗口：%1 个令牌。</translation>
    </message>
    <message>
        <source>The provider calls it %1.</source>
        <translation>提供商称其为 %1。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::ModelsPage</name>
    <message>
        <source>&amp;Add…</source>
        <translation>添加(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Edit…</source>
        <translation>编辑(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>Your own models</source>
        <translation>自有模型</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>&amp;Model for tasks that bring none:</source>
        <translation>未指定模型的任务使用(&amp;M)：</translation>
    </message>
    <message>
        <source>Tasks reach models through a proxy on this computer; keys never reach the engine.</source>
        <translation>任务通过这台电脑上的代理访问模型，引擎不会接触密钥。</translation>
    </message>
    <message>
        <source>The engine&apos;s own account</source>
        <translation>引擎自己的账号</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>The key could not be removed: %1</source>
        <translation>无法删除密钥：%1</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>Test</source>
        <comment>result of a test</comment>
        <translation>测试</translation>
    </message>
    <message>
        <source>model provider api key openai deepseek kimi qwen glm ollama</source>
        <translation>模型 提供商 密钥 接口 通义千问 月之暗面 智谱</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>默认模型</translation>
    </message>
    <message>
        <source>Usage</source>
        <translation>用量</translation>
    </message>
    <message>
        <source>tokens usage cost cached input output day</source>
        <translation>令牌 用量 费用 缓存 输入 输出 每日</translation>
    </message>
    <message>
        <source>not tested</source>
        <translation>未测试</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Testing %1 with a real question and a tool call…</source>
        <translation>正在用真实问题和一次工具调用测试 %1…</translation>
    </message>
    <message>
        <source>works</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>fails</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>model, what the test found</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>deskhand::app::NewTaskDialog</name>
    <message>
        <source>New task</source>
        <translation>新建任务</translation>
    </message>
    <message>
        <source>&amp;Browse…</source>
        <translation>浏览(&amp;B)…</translation>
    </message>
    <message>
        <source>What should be done?</source>
        <translation>要做什么？</translation>
    </message>
    <message>
        <source>&amp;Folder:</source>
        <translation>目录(&amp;F)：</translation>
    </message>
    <message>
        <source>&amp;Task:</source>
        <translation>任务(&amp;T)：</translation>
    </message>
    <message>
        <source>Permission &amp;level:</source>
        <translation>权限级别(&amp;L)：</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>开始(&amp;S)</translation>
    </message>
    <message>
        <source>Choose the task&apos;s folder</source>
        <translation>选择任务的目录</translation>
    </message>
    <message>
        <source>Choose the folder the task works in.</source>
        <translation>请选择任务的工作目录。</translation>
    </message>
    <message>
        <source>Give the whole path of the folder.</source>
        <translation>请填写目录的完整路径。</translation>
    </message>
    <message>
        <source>This folder does not exist.</source>
        <translation>此目录不存在。</translation>
    </message>
    <message>
        <source>This is not a folder.</source>
        <translation>这不是目录。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>deskhand::app::Notifier</name>
    <message>
        <source>A task asks for permission</source>
        <translation>有任务请求许可</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>task, what it asks</comment>
        <translation>%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) still waiting</source>
        <translation>
            <numerusform>仍有 %n 个请求待处理</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing is allowed until you decide.</source>
        <translation>在你决定之前不会放行任何操作。</translation>
    </message>
    <message>
        <source>Task interrupted</source>
        <translation>任务已中断</translation>
    </message>
    <message>
        <source>Task failed</source>
        <translation>任务失败</translation>
    </message>
    <message>
        <source>Task finished</source>
        <translation>任务已完成</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>task, error</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Deskhand needs your attention</source>
        <translation>Deskhand 需要你处理</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) for permission</source>
        <translation>
            <numerusform>%n 个权限请求</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) finished</source>
        <translation>
            <numerusform>%n 个任务已完成</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) failed</source>
        <translation>
            <numerusform>%n 个任务失败</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 tasks finished, %2 failed</source>
        <translation>%1 个任务已完成，%2 个失败</translation>
    </message>
</context>
<context>
    <name>deskhand::app::Parts</name>
    <message>
        <source>Link</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Local tasks work without a server.</source>
        <translation>没有服务器也可以运行本地任务。</translation>
    </message>
    <message>
        <source>Set up…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>立即重试</translation>
    </message>
    <message>
        <source>Sign in again…</source>
        <translation>重新登录…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Server: %1</source>
        <translation>服务器：%1</translation>
    </message>
    <message>
        <source>Device: %1</source>
        <translation>设备：%1</translation>
    </message>
    <message>
        <source>Last heartbeat: %1 ago</source>
        <translation>上次心跳：%1前</translation>
    </message>
    <message>
        <source>Next try in %1</source>
        <translation>%1后重试</translation>
    </message>
    <message numerus="yes">
        <source>%n update(s) waiting to be sent</source>
        <translation>
            <numerusform>有 %n 条更新等待发送</numerusform>
        </translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Choose program…</source>
        <translation>选择程序…</translation>
    </message>
    <message>
        <source>Codex was not found.</source>
        <translation>未找到 Codex。</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>重启引擎</translation>
    </message>
    <message>
        <source>Version: %1</source>
        <translation>版本：%1</translation>
    </message>
    <message>
        <source>Program: %1</source>
        <translation>程序：%1</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>沙箱</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>Built by: %1</source>
        <translation>由以下程序构建：%1</translation>
    </message>
    <message>
        <source>How to fix: %1</source>
        <translation>解决方法：%1</translation>
    </message>
    <message>
        <source>Secrets</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>The sign-in and keys are forgotten when you quit.</source>
        <translation>退出后不保留登录信息和密钥。</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>The key store is locked. Unlock it to connect.</source>
        <translation>密钥库已锁定，解锁后即可连接。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>This system has no key store. Choose where to keep the sign-in.</source>
        <translation>系统没有密钥库，请选择登录信息的保存方式。</translation>
    </message>
    <message>
        <source>Kept in: %1</source>
        <translation>保存位置：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) waiting</source>
        <translation>
            <numerusform>%n 个请求待处理</numerusform>
        </translation>
    </message>
    <message>
        <source>Sign in again</source>
        <translation>需要重新登录</translation>
    </message>
    <message numerus="yes">
        <source>Finishing %n task(s) before quitting</source>
        <translation>
            <numerusform>退出前等待 %n 个任务结束</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) running</source>
        <translation>
            <numerusform>正在运行 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>Paused until %1</source>
        <translation>已暂停至 %1</translation>
    </message>
    <message>
        <source>Paused until you resume</source>
        <translation>已暂停，直到手动恢复</translation>
    </message>
    <message>
        <source>Resume now</source>
        <translation>立即恢复</translation>
    </message>
    <message>
        <source>Offline - no network</source>
        <translation>离线 - 无网络</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>Reconnecting, next try in %1</source>
        <translation>正在重连，%1后重试</translation>
    </message>
    <message>
        <source>Reconnecting</source>
        <translation>正在重连</translation>
    </message>
    <message>
        <source>Ready for local tasks - no server set up</source>
        <translation>可运行本地任务 - 未设置服务器</translation>
    </message>
    <message>
        <source>Ready - %1 online</source>
        <translation>就绪 - %1 在线</translation>
    </message>
    <message>
        <source>%1 running, %2 queued</source>
        <translation>%1 个运行中，%2 个排队</translation>
    </message>
    <message numerus="yes">
        <source>%n queued</source>
        <translation>
            <numerusform>%n 个排队</numerusform>
        </translation>
    </message>
    <message>
        <source>Tasks: %1 running, %2 queued; requests: %3</source>
        <translation>任务：%1 个运行中，%2 个排队；请求：%3 个</translation>
    </message>
    <message>
        <source>The engine&apos;s whole process is kept from your secrets.</source>
        <translation>引擎的整个进程都无法接触你的机密。</translation>
    </message>
    <message>
        <source>The wall around the engine&apos;s process is being built.</source>
        <translation>正在为引擎进程建立隔离墙。</translation>
    </message>
    <message>
        <source>There is no wall around the engine&apos;s process: %1</source>
        <translation>引擎进程周围没有隔离墙：%1</translation>
    </message>
</context>
<context>
    <name>deskhand::app::PermissionsPage</name>
    <message>
        <source>Allow &amp;full access</source>
        <translation>允许完全访问(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Wait for ever</source>
        <translation>一直等待(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Add…</source>
        <translation>添加(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>&amp;Default level:</source>
        <translation>默认级别(&amp;D)：</translation>
    </message>
    <message>
        <source>Highest level any task may &amp;get:</source>
        <translation>任务可获得的最高级别(&amp;G)：</translation>
    </message>
    <message>
        <source>Device name, to confirm</source>
        <translation>输入设备名称以确认</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source>Unanswered requests are denied aft&amp;er:</source>
        <translation>未答复的请求在此时间后拒绝(&amp;E)：</translation>
    </message>
    <message>
        <source>Work folders</source>
        <translation>工作目录</translation>
    </message>
    <message>
        <source>Folders tasks may work in</source>
        <translation>任务可使用的目录</translation>
    </message>
    <message>
        <source>Tasks may &amp;name folders inside:</source>
        <translation>任务可指定以下目录内的位置(&amp;N)：</translation>
    </message>
    <message>
        <source>None listed: tasks may name any folder you can open.</source>
        <translation>未列出目录：任务可指定你能打开的任何目录。</translation>
    </message>
    <message>
        <source>Commands would run without a sandbox. Type the device name “%1” to confirm.</source>
        <translation>命令将在没有沙箱的情况下运行。请输入设备名称“%1”确认。</translation>
    </message>
    <message>
        <source>Choose a work folder</source>
        <translation>选择工作目录</translation>
    </message>
    <message>
        <source>The whole file system cannot be a work folder.</source>
        <translation>不能把整个文件系统设为工作目录。</translation>
    </message>
    <message>
        <source>permission read only workspace full access profile</source>
        <translation>权限级别 只读 工作区 完全访问</translation>
    </message>
    <message>
        <source>device ceiling full access limit</source>
        <translation>设备上限 最高 完全访问</translation>
    </message>
    <message>
        <source>time limit wait for ever prompt</source>
        <translation>时限 超时 一直等待 请求</translation>
    </message>
    <message>
        <source>work folder allowed roots</source>
        <translation>工作目录 文件夹 允许</translation>
    </message>
</context>
<context>
    <name>deskhand::app::PromptWindow</name>
    <message>
        <source>Show task</source>
        <translation>查看任务</translation>
    </message>
    <message>
        <source>Permission requests - Deskhand</source>
        <translation>许可请求 - Deskhand</translation>
    </message>
    <message>
        <source>Previous request</source>
        <translation>上一个请求</translation>
    </message>
    <message>
        <source>Next request</source>
        <translation>下一个请求</translation>
    </message>
    <message>
        <source>Tell the agent why (optional, goes with Deny)</source>
        <translation>告诉智能体原因（可选，随拒绝一起发送）</translation>
    </message>
    <message>
        <source>Reason for denying</source>
        <translation>拒绝的原因</translation>
    </message>
    <message>
        <source>The decision did not arrive: %1</source>
        <translation>决定未能送达：%1</translation>
    </message>
    <message>
        <source>No reason given.</source>
        <translation>未说明原因。</translation>
    </message>
    <message>
        <source>The model says: “%1”</source>
        <translation>模型的说明：“%1”</translation>
    </message>
    <message>
        <source>&amp;Do not answer</source>
        <translation>不回答(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Deny</source>
        <translation>拒绝(&amp;D)</translation>
    </message>
    <message>
        <source>Deny and &amp;stop task</source>
        <translation>拒绝并停止任务(&amp;S)</translation>
    </message>
    <message>
        <source>Send &amp;answer</source>
        <translation>发送回答(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Allow once</source>
        <translation>仅此一次(&amp;A)</translation>
    </message>
    <message>
        <source>Allow for this &amp;task</source>
        <translation>本次任务允许(&amp;T)</translation>
    </message>
    <message>
        <source>Denied automatically in %1 s</source>
        <translation>%1 秒后自动拒绝</translation>
    </message>
    <message>
        <source>Denied in %1</source>
        <translation>%1后拒绝</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 个，共 %2 个</translation>
    </message>
    <message>
        <source>“%1” in %2, %3 - asked %4 ago</source>
        <comment>task, folder, origin, age</comment>
        <translation>“%1”，位于 %2，%3 - %4前提出</translation>
    </message>
    <message>
        <source>Permission level: %1</source>
        <translation>权限级别：%1</translation>
    </message>
    <message>
        <source>Task %1 - asked %2 ago</source>
        <translation>任务 %1 - %2前提出</translation>
    </message>
    <message>
        <source>Handing the decision over…</source>
        <translation>正在送达决定…</translation>
    </message>
    <message numerus="yes">
        <source>Also the %n &amp;identical request(s)</source>
        <translation>
            <numerusform>同时应用于 %n 个相同的请求(&amp;I)</numerusform>
        </translation>
    </message>
    <message>
        <source>Blocked by the sandbox: %1</source>
        <translation>被沙箱阻止：%1</translation>
    </message>
</context>
<context>
    <name>deskhand::app::QuestionForm</name>
    <message>
        <source>Other:</source>
        <translation>其他：</translation>
    </message>
    <message>
        <source>Secret: not shown, not stored</source>
        <translation>保密：不显示，不保存</translation>
    </message>
</context>
<context>
    <name>deskhand::app::QuitDialog</name>
    <message>
        <source>Quit Deskhand</source>
        <translation>退出 Deskhand</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) still running:</source>
        <translation>
            <numerusform>仍有 %n 个任务在运行：</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued task(s) will not be started.</source>
        <translation>
            <numerusform>排队中的 %n 个任务不会开始。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) wait for your decision.</source>
        <translation>
            <numerusform>有 %n 个请求等待你的决定。</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Finish tasks, then quit</source>
        <translation>任务完成后退出(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Stop tasks and quit</source>
        <translation>停止任务并退出(&amp;S)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>deskhand::app::RequestView</name>
    <message>
        <source>Folder</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>name of a fact, its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>The command holds characters that cannot be seen. They are shown as ‹U+…›.</source>
        <translation>命令包含不可见字符，已显示为 ‹U+…›。</translation>
    </message>
    <message>
        <source>Shell</source>
        <translation>Shell</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>outside the work folder</source>
        <translation>在工作目录之外</translation>
    </message>
    <message>
        <source>Changes of the selected file</source>
        <translation>所选文件的更改</translation>
    </message>
    <message>
        <source>No text to show for this file.</source>
        <translation>此文件没有可显示的文本。</translation>
    </message>
    <message>
        <source>Would become writable</source>
        <translation>将变为可写</translation>
    </message>
    <message>
        <source>What would be granted</source>
        <translation>将授予的权限</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>Tool server</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Would become readable</source>
        <translation>将变为可读</translation>
    </message>
</context>
<context>
    <name>deskhand::app::SandboxPage</name>
    <message>
        <source>&amp;Hide your keys and secret files from the engine&apos;s whole process</source>
        <translation>对引擎的整个进程隐藏密钥和机密文件(&amp;H)</translation>
    </message>
    <message>
        <source>A folder or file: /srv/keys, ~/diary</source>
        <translation>文件夹或文件：/srv/keys、~/diary</translation>
    </message>
    <message>
        <source>A host, such as *.example.com</source>
        <translation>主机，例如 *.example.com</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>&amp;Check again</source>
        <translation>重新检查(&amp;C)</translation>
    </message>
    <message>
        <source>sandbox protection check</source>
        <translation>沙箱 保护 检查</translation>
    </message>
    <message>
        <source>wall around the engine secrets hide double</source>
        <translation>引擎 外墙 机密 隐藏 双重</translation>
    </message>
    <message>
        <source>Hidden from commands</source>
        <translation>对命令隐藏</translation>
    </message>
    <message>
        <source>Secret &amp;paths, besides the usual ones:</source>
        <translation>除常见路径外的机密路径(&amp;P)：</translation>
    </message>
    <message>
        <source>secret private hidden folder file keys</source>
        <translation>机密 私密 隐藏 文件夹 文件 密钥</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>“%1” cannot be hidden. Name an absolute path or one that begins with ~/, less than the whole disk or home folder, with * in its last part only.</source>
        <translation>无法隐藏“%1”。请填写绝对路径或以 ~/ 开头的路径，不能是整个磁盘或整个主目录，* 只能出现在最后一段。</translation>
    </message>
    <message>
        <source>“%1” is no host. Write a name, *.name for its sub-domains or **.name for both.</source>
        <translation>“%1”不是主机。请填写名称；*.名称 表示其子域，**.名称 表示两者。</translation>
    </message>
    <message>
        <source>Network of commands</source>
        <translation>命令的网络</translation>
    </message>
    <message>
        <source>Hosts reached &amp;without a question:</source>
        <translation>无需询问即可访问的主机(&amp;W)：</translation>
    </message>
    <message>
        <source>network domain internet allow host</source>
        <translation>网络 域名 互联网 允许 主机</translation>
    </message>
    <message>
        <source>Hosts &amp;never reached:</source>
        <translation>始终不能访问的主机(&amp;N)：</translation>
    </message>
    <message>
        <source>network domain internet deny block host</source>
        <translation>网络 域名 互联网 拒绝 阻止 主机</translation>
    </message>
    <message>
        <source>Usually %1 MB.</source>
        <translation>通常为 %1 MB。</translation>
    </message>
    <message>
        <source>Temporary files</source>
        <translation>临时文件</translation>
    </message>
    <message>
        <source>A place of its own for each command</source>
        <translation>每条命令各有自己的位置</translation>
    </message>
    <message>
        <source>This computer&apos;s own</source>
        <translation>本机的临时文件夹</translation>
    </message>
    <message>
        <source>None</source>
        <translation>不提供</translation>
    </message>
    <message>
        <source>Where commands keep &amp;temporary files:</source>
        <translation>命令存放临时文件的位置(&amp;T)：</translation>
    </message>
    <message>
        <source>scratch tmp temporary</source>
        <translation>临时 暂存 tmp</translation>
    </message>
    <message>
        <source>&amp;Size of that place:</source>
        <translation>该位置的大小(&amp;S)：</translation>
    </message>
    <message>
        <source>scratch tmp temporary size</source>
        <translation>临时 暂存 大小 tmp</translation>
    </message>
    <message>
        <source> MB</source>
        <translation> MB</translation>
    </message>
    <message>
        <source>Limits of a command</source>
        <translation>单条命令的限制</translation>
    </message>
    <message>
        <source>&amp;Memory:</source>
        <translation>内存(&amp;M)：</translation>
    </message>
    <message>
        <source>limit memory RAM</source>
        <translation>限制 内存</translation>
    </message>
    <message>
        <source>P&amp;rocesses and threads:</source>
        <translation>进程和线程(&amp;R)：</translation>
    </message>
    <message>
        <source>limit processes threads</source>
        <translation>限制 进程 线程</translation>
    </message>
    <message>
        <source>Usually %1.</source>
        <translation>通常为 %1。</translation>
    </message>
    <message>
        <source>T&amp;ime:</source>
        <translation>时间(&amp;I)：</translation>
    </message>
    <message>
        <source>limit time seconds</source>
        <translation>限制 时间 秒</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Usually %1 s.</source>
        <translation>通常为 %1 秒。</translation>
    </message>
    <message>
        <source>What it may a&amp;dd to its folders:</source>
        <translation>可向其文件夹新增的数据量(&amp;D)：</translation>
    </message>
    <message>
        <source>limit disk growth</source>
        <translation>限制 磁盘 增长</translation>
    </message>
    <message>
        <source>&amp;Output kept:</source>
        <translation>保留的输出(&amp;O)：</translation>
    </message>
    <message>
        <source>limit output</source>
        <translation>限制 输出</translation>
    </message>
    <message>
        <source> KB</source>
        <translation> KB</translation>
    </message>
    <message>
        <source>Usually %1 KB.</source>
        <translation>通常为 %1 KB。</translation>
    </message>
    <message>
        <source>The usual</source>
        <translation>通常值</translation>
    </message>
    <message>
        <source>From %1 to %2, or 0 for the usual.</source>
        <translation>%1 到 %2，或 0 表示通常值。</translation>
    </message>
    <message>
        <source>Choose a folder to hide</source>
        <translation>选择要隐藏的文件夹</translation>
    </message>
    <message>
        <source>The engine itself still sees them; the wall around it hides them there too.</source>
        <translation>引擎本身仍能看到它们；引擎外墙会在那里也将其隐藏。</translation>
    </message>
    <message>
        <source>Commands see and change what other programs keep there.</source>
        <translation>命令能看到并更改其他程序存放在那里的内容。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::SecretPlaceDialog</name>
    <message>
        <source>Try the system&apos;s &amp;key store again</source>
        <translation>重试系统密钥库(&amp;K)</translation>
    </message>
    <message>
        <source>In a &amp;file that only you can read</source>
        <translation>保存在仅你可读的文件中(&amp;F)</translation>
    </message>
    <message>
        <source>For this &amp;session only</source>
        <translation>仅限本次运行(&amp;S)</translation>
    </message>
    <message>
        <source>Where to keep the sign-in</source>
        <translation>登录信息的保存方式</translation>
    </message>
    <message>
        <source>Unlock it first, for instance by signing in to your desktop again.</source>
        <translation>请先解锁，例如重新登录桌面。</translation>
    </message>
    <message>
        <source>Not encrypted. Other programs you run can read it; other users cannot.</source>
        <translation>未加密。你运行的其他程序可以读取，其他用户不能。</translation>
    </message>
    <message>
        <source>Kept in memory and forgotten when you quit.</source>
        <translation>保存在内存中，退出后不保留。</translation>
    </message>
    <message>
        <source>&amp;Use this</source>
        <translation>使用此方式(&amp;U)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>deskhand::app::SettingsDialog</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Settings - Deskhand</source>
        <translation>设置 - Deskhand</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Account and device</source>
        <translation>账号与设备</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>Undone.</source>
        <translation>已撤销。</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Find a setting</source>
        <translation>查找设置</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>No setting is called so.</source>
        <translation>没有这样的设置。</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>沙箱</translation>
    </message>
</context>
<context>
    <name>deskhand::app::SettingsPage</name>
    <message>
        <source>Set by the environment variable %1.</source>
        <translation>由环境变量 %1 设定。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::StateRow</name>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1</translation>
    </message>
    <message>
        <source>Details of %1</source>
        <translation>%1 的详情</translation>
    </message>
</context>
<context>
    <name>deskhand::app::StatusWindow</name>
    <message>
        <source>Deskhand</source>
        <translation>Deskhand</translation>
    </message>
    <message>
        <source>Requests and tasks</source>
        <translation>请求与任务</translation>
    </message>
    <message>
        <source>&amp;New task…</source>
        <translation>新建任务(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Tasks</source>
        <translation>任务(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>设置(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Logs</source>
        <translation>日志(&amp;L)</translation>
    </message>
    <message>
        <source>Res&amp;ume</source>
        <translation>恢复(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Requests (%1)</source>
        <translation>请求（%1）</translation>
    </message>
    <message>
        <source>Running (%1)</source>
        <translation>运行中（%1）</translation>
    </message>
    <message>
        <source>Queued (%1)</source>
        <translation>排队中（%1）</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>No tasks yet. Start one here or from the web workspace.</source>
        <translation>还没有任务。可以在这里或网页工作区中开始一个。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::StopAllDialog</name>
    <message>
        <source>Stop all tasks</source>
        <translation>停止全部任务</translation>
    </message>
    <message>
        <source>These tasks will be stopped:</source>
        <translation>将停止以下任务：</translation>
    </message>
    <message>
        <source>&amp;Stop all</source>
        <translation>全部停止(&amp;S)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>deskhand::app::TaskModel</name>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Started from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>用时</translation>
    </message>
</context>
<context>
    <name>deskhand::app::TaskWindow</name>
    <message>
        <source>&amp;Stop task</source>
        <translation>停止任务(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Changes…</source>
        <translation>更改(&amp;C)…</translation>
    </message>
    <message>
        <source>S&amp;end</source>
        <translation>发送(&amp;E)</translation>
    </message>
    <message>
        <source>Changes of this turn</source>
        <translation>本轮的更改</translation>
    </message>
    <message>
        <source>Story of the task</source>
        <translation>任务过程</translation>
    </message>
    <message>
        <source>All output</source>
        <translation>全部输出</translation>
    </message>
    <message>
        <source>Find in this task</source>
        <translation>在此任务中查找</translation>
    </message>
    <message>
        <source>Ne&amp;xt</source>
        <translation>下一个(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Previous</source>
        <translation>上一个(&amp;P)</translation>
    </message>
    <message>
        <source>Copy &amp;all</source>
        <translation>全部复制(&amp;A)</translation>
    </message>
    <message>
        <source>Copy as &amp;Markdown</source>
        <translation>复制为 Markdown(&amp;M)</translation>
    </message>
    <message>
        <source>Go on with this task…</source>
        <translation>继续此任务…</translation>
    </message>
    <message>
        <source>Next message to this task</source>
        <translation>给此任务的下一条消息</translation>
    </message>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n 条新内容</numerusform>
        </translation>
    </message>
    <message>
        <source>Task %1</source>
        <translation>任务 %1</translation>
    </message>
    <message>
        <source>%1 - Deskhand</source>
        <translation>%1 - Deskhand</translation>
    </message>
    <message>
        <source>Folder: %1</source>
        <translation>目录：%1</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>模型：%1</translation>
    </message>
    <message>
        <source>Permission level: %1</source>
        <translation>权限级别：%1</translation>
    </message>
    <message>
        <source>Tokens: %1</source>
        <translation>Token：%1</translation>
    </message>
    <message>
        <source>This task goes on in the web workspace.</source>
        <translation>请在网页工作区中继续此任务。</translation>
    </message>
    <message>
        <source>Runs after the present turn…</source>
        <translation>在当前一轮结束后运行…</translation>
    </message>
    <message>
        <source>This task waits for your decision.</source>
        <translation>此任务等待你的决定。</translation>
    </message>
    <message>
        <source>Show &amp;request</source>
        <translation>查看请求(&amp;R)</translation>
    </message>
    <message>
        <source>No news for %1. Nothing is open.</source>
        <translation>已 %1没有进展，且没有未完成的操作。</translation>
    </message>
    <message>
        <source>No news for %1. Still running: %2</source>
        <translation>已 %1没有进展，仍在运行：%2</translation>
    </message>
    <message>
        <source>&amp;Keep waiting</source>
        <translation>继续等待(&amp;K)</translation>
    </message>
    <message>
        <source>“%1” was not found.</source>
        <translation>未找到“%1”。</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Permission level: %1 (asked for: %2)</source>
        <translation>权限级别：%1（请求的是：%2）</translation>
    </message>
    <message>
        <source>Sandbox: %1</source>
        <translation>沙箱：%1</translation>
    </message>
</context>
<context>
    <name>deskhand::app::Timeline</name>
    <message>
        <source>Next turn</source>
        <translation>下一轮</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n line(s)</source>
        <translation>
            <numerusform>显示全部 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>退出代码 %1</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>failed, exit code %1</source>
        <translation>失败，退出代码 %1</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>未获许可</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message numerus="yes">
        <source>Show all (%n earlier line(s) hidden)</source>
        <translation>
            <numerusform>显示全部（前面 %n 行未显示）</numerusform>
        </translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Permission asked: %1</source>
        <translation>请求许可：%1</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s)</source>
        <translation>
            <numerusform>%n 张图片</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>what is done, why</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>how it ended, why</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>deskhand::app::TrayMenu</name>
    <message>
        <source>Online as %1</source>
        <translation>在线：%1</translation>
    </message>
    <message>
        <source>&amp;Fix: %1</source>
        <translation>处理(&amp;F)：%1</translation>
    </message>
    <message>
        <source>&amp;Requests (%1)…</source>
        <translation>请求（%1）(&amp;R)…</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>更多…</translation>
    </message>
    <message>
        <source>Running (%1)</source>
        <translation>运行中（%1）</translation>
    </message>
    <message>
        <source>%1 - %2 - %3</source>
        <comment>title, folder, time</comment>
        <translation>%1 - %2 - %3</translation>
    </message>
    <message>
        <source>Queued (%1)</source>
        <translation>排队中（%1）</translation>
    </message>
    <message>
        <source>Finished, unread (%1)</source>
        <translation>已完成，未读（%1）</translation>
    </message>
    <message>
        <source>%1 - %2</source>
        <comment>title, state</comment>
        <translation>%1 - %2</translation>
    </message>
    <message>
        <source>&amp;Mark all read</source>
        <translation>全部标为已读(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;New task…</source>
        <translation>新建任务(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Open Deskhand</source>
        <translation>打开 Deskhand(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Tasks and history…</source>
        <translation>任务与历史(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Logs…</source>
        <translation>日志(&amp;L)…</translation>
    </message>
    <message>
        <source>Open &amp;web workspace</source>
        <translation>打开网页工作区(&amp;W)</translation>
    </message>
    <message>
        <source>Res&amp;ume now</source>
        <translation>立即恢复(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Pause new tasks</source>
        <translation>暂停新任务(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;30 minutes</source>
        <translation>30 分钟(&amp;3)</translation>
    </message>
    <message>
        <source>&amp;1 hour</source>
        <translation>1 小时(&amp;1)</translation>
    </message>
    <message>
        <source>Until &amp;tomorrow 08:00</source>
        <translation>直到明天 08:00(&amp;T)</translation>
    </message>
    <message>
        <source>Until I &amp;resume</source>
        <translation>直到手动恢复(&amp;R)</translation>
    </message>
    <message>
        <source>Permission le&amp;vel</source>
        <translation>权限级别(&amp;V)</translation>
    </message>
    <message>
        <source>Stop &amp;all tasks…</source>
        <translation>停止全部任务(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>设置(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Copy status summary</source>
        <translation>复制状态摘要(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;About Deskhand</source>
        <translation>关于 Deskhand(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Quit Deskhand…</source>
        <translation>退出 Deskhand(&amp;Q)…</translation>
    </message>
    <message>
        <source>&amp;Quit Deskhand</source>
        <translation>退出 Deskhand(&amp;Q)</translation>
    </message>
    <message>
        <source>%1 (limited by device ceiling)</source>
        <translation>%1（受设备上限限制）</translation>
    </message>
</context>
<context>
    <name>deskhand::app::UsageView</name>
    <message>
        <source>Days shown</source>
        <translation>显示的天数</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Last 365 days</source>
        <translation>最近 365 天</translation>
    </message>
    <message>
        <source>Tokens per model and day</source>
        <translation>各模型每日令牌数</translation>
    </message>
    <message>
        <source>Day (UTC)</source>
        <translation>日期（UTC）</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Tokens in</source>
        <translation>输入令牌</translation>
    </message>
    <message>
        <source>of these cached</source>
        <translation>其中缓存</translation>
    </message>
    <message>
        <source>Tokens out</source>
        <translation>输出令牌</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>No tokens were used in these days.</source>
        <translation>这段时间没有使用令牌。</translation>
    </message>
</context>
<context>
    <name>deskhand::app::Wording</name>
    <message>
        <source>Not set up</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>Online</source>
        <translation>在线</translation>
    </message>
    <message>
        <source>Reconnecting</source>
        <translation>正在重连</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>离线</translation>
    </message>
    <message>
        <source>Sign-in needed</source>
        <translation>需要登录</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>Identity in use elsewhere</source>
        <translation>设备标识正在别处使用</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Ready to start</source>
        <translation>可启动</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>Restarting</source>
        <translation>正在重启</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Protected</source>
        <translation>受保护</translation>
    </message>
    <message>
        <source>Reduced</source>
        <translation>保护减弱</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>External</source>
        <translation>外部</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>检查中</translation>
    </message>
    <message>
        <source>Ready</source>
        <comment>key store</comment>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>No key store</source>
        <translation>没有密钥库</translation>
    </message>
    <message>
        <source>This session only</source>
        <translation>仅限本次运行</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>等待你处理</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <comment>task</comment>
        <translation>失败</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>from the server</source>
        <translation>来自服务器</translation>
    </message>
    <message>
        <source>started here</source>
        <translation>在本机开始</translation>
    </message>
    <message>
        <source>Read only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Full access</source>
        <translation>完全访问</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Looks at files. No writing, no network.</source>
        <translation>只查看文件，不写入，不联网。</translation>
    </message>
    <message>
        <source>No sandbox. Commands run with all your rights.</source>
        <translation>没有沙箱，命令以你的全部权限运行。</translation>
    </message>
    <message>
        <source>Writes inside the task&apos;s folder and asks for the rest.</source>
        <translation>在任务目录内写入，其他操作会先询问。</translation>
    </message>
    <message>
        <source>Run a command outside the sandbox</source>
        <translation>在沙箱外运行命令</translation>
    </message>
    <message numerus="yes">
        <source>Change %n file(s)</source>
        <translation>
            <numerusform>更改 %n 个文件</numerusform>
        </translation>
    </message>
    <message>
        <source>Give this turn more access</source>
        <translation>为本轮授予更多权限</translation>
    </message>
    <message>
        <source>Reach %1 over the network</source>
        <translation>通过网络访问 %1</translation>
    </message>
    <message>
        <source>Answer a question</source>
        <translation>回答一个问题</translation>
    </message>
    <message numerus="yes">
        <source>Answer %n question(s)</source>
        <translation>
            <numerusform>回答 %n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 asks to use %2</source>
        <translation>%1 请求使用 %2</translation>
    </message>
    <message>
        <source>here</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>on the command line</source>
        <translation>在命令行</translation>
    </message>
    <message>
        <source>by an earlier decision</source>
        <translation>按先前的决定</translation>
    </message>
    <message>
        <source>on the web</source>
        <translation>在网页</translation>
    </message>
    <message>
        <source>Answered %1: allowed once</source>
        <translation>已%1答复：仅此一次</translation>
    </message>
    <message>
        <source>Answered %1: allowed for this task</source>
        <translation>已%1答复：本次任务允许</translation>
    </message>
    <message>
        <source>Answered %1: denied</source>
        <translation>已%1答复：拒绝</translation>
    </message>
    <message>
        <source>Denied: nobody answered in time</source>
        <translation>已拒绝：无人及时答复</translation>
    </message>
    <message>
        <source>This request is no longer waiting</source>
        <translation>此请求已不再等待</translation>
    </message>
    <message>
        <source>This request is no longer waiting: %1</source>
        <translation>此请求已不再等待：%1</translation>
    </message>
    <message>
        <source>Deletes files</source>
        <translation>删除文件</translation>
    </message>
    <message>
        <source>Uses administrator rights</source>
        <translation>使用管理员权限</translation>
    </message>
    <message>
        <source>Downloads and runs code</source>
        <translation>下载并运行代码</translation>
    </message>
    <message>
        <source>Touches a protected name</source>
        <translation>涉及受保护的文件</translation>
    </message>
    <message>
        <source>The sandbox is not available</source>
        <translation>沙箱不可用</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分钟</translation>
    </message>
    <message>
        <source>Let the command write to %1 and try again</source>
        <translation>允许该命令写入 %1 并重试</translation>
    </message>
    <message>
        <source>Let the command read %1 and try again</source>
        <translation>允许该命令读取 %1 并重试</translation>
    </message>
    <message>
        <source>Let the command reach %1 and try again</source>
        <translation>允许该命令访问 %1 并重试</translation>
    </message>
    <message>
        <source>Cannot be understood completely</source>
        <translation>无法完全理解</translation>
    </message>
    <message>
        <source>%1 at %2 (%3)</source>
        <comment>model, address, format</comment>
        <translation>%1，位于 %2（%3）</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>the engine&apos;s: commands write nothing and have no network</source>
        <translation>引擎自带：命令不能写入，且没有网络</translation>
    </message>
    <message>
        <source>the engine&apos;s: commands write in the folder and have no network</source>
        <translation>引擎自带：命令只能写入任务文件夹，且没有网络</translation>
    </message>
    <message>
        <source>%1; your secrets are hidden from the engine too</source>
        <translation>%1；机密对引擎也隐藏</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Deskhand</source>
        <translation>Deskhand</translation>
    </message>
    <message>
        <source>Deskhand is already running but does not answer.</source>
        <translation>Deskhand 已在运行，但没有响应。</translation>
    </message>
    <message>
        <source>&amp;Wait</source>
        <translation>等待(&amp;W)</translation>
    </message>
    <message>
        <source>Makes this computer a device of a Wegent AI workspace.</source>
        <translation>让这台电脑成为 Wegent AI 工作区的一台设备。</translation>
    </message>
    <message>
        <source>Starts in the tray without opening a window.</source>
        <translation>在托盘中启动，不打开窗口。</translation>
    </message>
    <message>
        <source>Shows the version and ends.</source>
        <translation>显示版本后结束。</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
</context>
</TS>
