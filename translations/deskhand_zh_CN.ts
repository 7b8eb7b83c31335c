<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
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
        <source>%1 %2</source>
        <comment>problem, next step</comment>
        <translation>%1 %2</translation>
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
        <source>Sandbox</source>
        <translation>沙箱</translation>
    </message>
    <message>
        <source>&amp;Check again</source>
        <translation>重新检查(&amp;C)</translation>
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
    <message>
        <source>sandbox protection check</source>
        <translation>沙箱 保护 检查</translation>
    </message>
    <message>
        <source>&amp;Hide your keys and secret files from the engine&apos;s whole process</source>
        <translation>对引擎的整个进程隐藏你的密钥和机密文件(&amp;H)</translation>
    </message>
    <message>
        <source>wall around the engine secrets hide double</source>
        <translation>隔离墙 引擎 机密 隐藏 双层</translation>
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
        <source>Blocked by the sandbox: %1</source>
        <translation>被沙箱阻止：%1</translation>
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
        <source>%1 %2</source>
        <comment>what happened, next step</comment>
        <translation>%1 %2</translation>
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
