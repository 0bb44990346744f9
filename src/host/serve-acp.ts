import { once } from "node:events";
import type { Surroundings } from "./surroundings.js";
import { valuesOf } from "../core/registry/registry.js";
import type { EditorHost, EditorSessionParts, OpenOptions } from "../acp/opened-session.js";
import { NorthError } from "../base/north-error.js";
import { createConversationStore } from "../storage/conversations/conversations.js";
import { findRoot } from "../workspace/find-root.js";
import type { ChatFlags } from "./command-line/chat-flags.js";
import { reserveStdout } from "./command-line/reserved-stdout.js";
import { stopOnSignals } from "./command-line/stop-on-signals.js";
import { chooseModel } from "./models/choose-model.js";
import { createConnections, noKey } from "./models/connections.js";
import { loadRegistry } from "./project/load-plugins.js";
import { unconfirmedGrantNotices, placeNotices } from "./project/project-notices.js";
import { noModel, openSession } from "./session/open-session.js";

const SERVER_PLUGIN = "north-plugin-mcp";

interface EditorRun extends Surroundings {
    readonly flags: Omit<ChatFlags, "print" | "output-format" | "path" | "file" | "timeout">;
}

/** Serves an editor on stdin and stdout until it disconnects. Resolves with the exit code. */
export async function serveAcp(run: EditorRun): Promise<number> {
    if (process.stdin.isTTY) {
        throw new NorthError("not-an-editor", "`north acp` is for editors, not for a terminal.", [
            "To set one up, see docs/editors.md; `north` alone opens the chat.",
        ]);
    }
    const output = protocolOutput();
    const stopper = stopOnSignals();
    try {
        const { serveEditor } = await import("../acp/serve-editor.js");
        const pipes = { input: protocolInput(), output };
        await serveEditor(pipes, editorHost(run), stopper.signal);
        return stopper.exitCode() ?? 0;
    } finally {
        // An open stdin would keep the process alive.
        process.stdin.destroy();
        await stopper.dispose();
    }
}

function protocolInput(): ReadableStream<Uint8Array> {
    const { stdin } = process;
    // Ignore input after the protocol has ended.
    let isOpen = true;
    return new ReadableStream({
        start(controller) {
            stdin.on("data", (chunk: Buffer) => isOpen && controller.enqueue(chunk));
            stdin.once("end", () => isOpen && controller.close());
            stdin.once("error", (error) => isOpen && controller.error(error));
        },
        cancel() {
            isOpen = false;
        },
    });
}

function protocolOutput(): WritableStream<Uint8Array> {
    const { stdout } = process;
    const write = reserveStdout();
    return new WritableStream({
        async write(chunk) {
            if (stdout.destroyed) throw new Error("The output was closed.");
            if (!write(chunk)) await Promise.race([once(stdout, "drain"), once(stdout, "close")]);
        },
    });
}

function editorHost(run: EditorRun): EditorHost {
    const store = createConversationStore(run.directories.data);
    return {
        version: run.config.version,
        connectsServers: run.config.plugins.has(SERVER_PLUGIN),
        open: (options) => openForEditor(run, options),
        requireKey: () => requireKey(run),
        async list(folder) {
            const all = await store.list();
            if (folder === undefined) return all;
            // The folder may be gone, its conversations are not.
            const { root } = await findRoot(folder).catch(() => ({ root: folder }));
            return all.filter((conversation) => conversation.root === root);
        },
        async remove(id) {
            const all = await store.list();
            if (all.some((conversation) => conversation.id === id)) await store.remove(id);
        },
    };
}

async function requireKey({ flags, config, directories, environment }: EditorRun): Promise<void> {
    const registry = await loadRegistry(config);
    const providers = valuesOf(registry.providers);
    const connections = createConnections(environment, directories.config);
    const candidates = flags.model === undefined ? {} : { flag: flags.model };
    const chosen = await chooseModel(candidates, providers, connections, registry.problems);
    const { provider } = chosen ?? noModel(providers, environment);
    if (!(await connections.hasKey(provider))) throw noKey(provider);
}

async function openForEditor(
    { flags, ...run }: EditorRun,
    { folder, resume, files, mcpServers }: OpenOptions
): Promise<EditorSessionParts> {
    const { session, project, notices, onBug } = await openSession(
        {
            ...run,
            flags: { ...flags, print: false, path: folder },
            ...{ resume, editor: files, mcpServers },
        },
        noModel
    );
    const { models } = session.services.session;
    const current = (await models.list()).find(({ isCurrent }) => isCurrent);
    if (current?.hasKey === false) {
        const name = `${current.provider}/${current.model.id}`;
        await session.close();
        await requireKey({ ...run, flags: { ...flags, model: name } });
    }
    return {
        session,
        contents: project.stores.contents,
        findTool: (name) => project.registry.tools.get(name)?.value,
        notices: [
            ...notices,
            ...(await placeNotices(project, run.environment.HOME)),
            ...(await unconfirmedGrantNotices(project.stores.grants, "/trust")),
        ],
        onBug,
    };
}
