import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { type Answer, Editor, type EditorOptions } from "./acp-editor.js";
import { type ClaudeWorkplace } from "./claude-workplace.js";
import { reply, type Reply, text, toolUse } from "./vendors/messages-server.js";

/** A command of a session, and why a person is asked about it, if at all. */
export interface SessionCommand {
    readonly command: string;
    readonly kind: "quiet" | "edit" | "output" | "git" | "real";
}

/** A question, by the command that it was about. */
export interface AskedCommand extends SessionCommand {
    readonly title: string;
}

/** How many commands the model runs before it sees their results. */
const CALLS = 6;

/** The calls of commands, a few in each message. */
export function repliesOf(commands: readonly SessionCommand[], name = "call"): readonly Reply[] {
    const uses = commands.map(({ command }, index) =>
        toolUse(`${name}_${index}`, "shell_run", { command })
    );
    const replies = Array.from({ length: Math.ceil(uses.length / CALLS) }, (_, index) =>
        reply(...uses.slice(index * CALLS, (index + 1) * CALLS))
    );
    return [...replies, reply(text("Done."))];
}

/** Takes turns in an editor, and returns the questions of each. */
export async function takeTurns(
    place: ClaudeWorkplace,
    turns: readonly (readonly Reply[])[],
    answer: Answer,
    options: EditorOptions = {}
) {
    await place.serve(turns.flat());
    const editor = await Editor.start(place, options);
    try {
        const { sessionId } = await editor.newSession(place.repository);
        editor.answer = answer;
        const asked: (readonly RequestPermissionRequest[])[] = [];
        for (const [index] of turns.entries()) {
            const before = editor.questions.length;
            await editor.prompt(sessionId, `Turn ${index + 1}`);
            asked.push(editor.questions.slice(before));
        }
        return {
            sessionId,
            asked,
            callIds: editor.calls(sessionId).map((call) => call.toolCallId),
        };
    } finally {
        editor.kill("SIGKILL");
        await editor.end();
    }
}

/** Runs commands in one turn, and returns what was asked. */
export async function questionsAbout(
    place: ClaudeWorkplace,
    commands: readonly SessionCommand[],
    answer: Answer,
    options: EditorOptions = {}
): Promise<{ readonly asked: readonly AskedCommand[]; readonly results: readonly string[] }> {
    const taken = await takeTurns(place, [repliesOf(commands)], answer, options);
    const asked = taken.asked.flat().map(({ toolCall }) => {
        // Within a session an editor may get ids of its own for calls; their order is the model's.
        const command = commands[taken.callIds.indexOf(toolCall.toolCallId)];
        if (!command) throw new Error(`A question about no command: ${String(toolCall.title)}`);
        return { ...command, title: String(toolCall.title) };
    });
    const results = place.server.requests
        .at(-1)!
        .body.messages.flatMap(({ content }) => content)
        .filter(({ type }) => type === "tool_result")
        .map(({ content }) => String(content));
    return { asked, results };
}

/** What keeps namespaces from North, where this machine can do that. */
export function withoutNamespaces(): readonly string[] | undefined {
    const none = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    const under = ["unshare", "-Urm", "bash", "-ec", none, "-"];
    try {
        execFileSync(under[0]!, [...under.slice(1), "true"], { stdio: "ignore" });
        return under;
    } catch {
        return undefined;
    }
}

/**
 * A PATH whose `npm` runs a package's scripts in a shell, as npm does, at a tenth of its cost; the
 * rest is npm's. For sessions that another test replays with npm itself.
 */
export function pathWithPlainNpm({ home, repository }: ClaudeWorkplace, search: string): string {
    const manifest = readFileSync(path.join(repository, "package.json"), "utf8");
    const scripts: Readonly<Record<string, string>> = JSON.parse(manifest).scripts;
    const cases = Object.entries(scripts).map(
        ([name, script]) => `"run ${name}" | "${name} ") exec sh -c '${script}' ;;`
    );
    // Contained commands do not see a checkout's own npm in a temporary folder.
    const others = search.split(":").filter((folder) => !folder.includes("node_modules"));
    const env = { PATH: others.join(":") };
    const npm = execFileSync("which", ["npm"], { encoding: "utf8", env }).trim();
    const folder = path.join(home, "bin");
    mkdirSync(folder);
    writeFileSync(
        path.join(folder, "npm"),
        ["#!/bin/sh", 'case "$1 $2" in', ...cases, `*) exec ${npm} "$@" ;;`, "esac", ""].join("\n"),
        { mode: 0o755 }
    );
    return `${folder}:${search}`;
}

/** Commits everything, as Ann, and makes a folder `origin`. Returns what removes it. */
export function commitAll(place: ClaudeWorkplace): () => void {
    const origin = mkdtempSync(path.join(tmpdir(), "north-origin-"));
    const git = (...args: readonly string[]) =>
        execFileSync("git", args, { cwd: place.repository, stdio: "ignore" });
    execFileSync("git", ["init", "-q", "--bare", origin]);
    git("config", "user.name", "Ann");
    git("config", "user.email", "ann@example.org");
    git("remote", "add", "origin", origin);
    git("add", ".");
    git("commit", "-qm", "First");
    return () => rmSync(origin, { recursive: true, force: true });
}
