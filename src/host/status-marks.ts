import { withTimeLimit } from "../base/waiting.js";
import { checkedOut } from "../base/git-directory.js";
import type { StatusMarks } from "../chat/render/status-line.js";
import type { Session } from "../core/session.js";
import type { Project } from "./project/open-project.js";

const MOST_MS = 2_000;

/** Reads what the status line tells beside; `command` is the user's own, from the settings. */
export function statusMarks(
    session: Session,
    project: Pick<Project, "root" | "contained">,
    command?: string
): () => Promise<StatusMarks> {
    const { root, contained } = project;
    return async () => {
        const branch = await checkedOut(root);
        const isContained = contained.isWorking;
        const own = command === undefined ? undefined : await ownLine(command, session, branch);
        return { isContained, ...(branch ? { branch } : {}), ...(own ? { own } : {}) };
    };
}

/** The first line that the command prints; it reads the session's facts as JSON. */
async function ownLine(
    command: string,
    session: Session,
    branch: string | undefined
): Promise<string | undefined> {
    const { runHook } = await import("./checks/run-hook.js");
    const { root, conversationId } = session;
    const facts = { root, conversationId, branch, ...session.status() };
    const { exitCode, stdout } = await withTimeLimit(MOST_MS, (signal) =>
        runHook(command, facts, { root, signal })
    );
    return exitCode === 0 ? stdout.split("\n", 1)[0] : undefined;
}
