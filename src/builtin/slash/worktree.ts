import { counted } from "../../base/format.js";
import type { SlashCommand, SlashContext, Worktree } from "../../plugin/index.js";
import { startingWith, wrongUsage } from "./wording.js";

export const worktree: SlashCommand = {
    name: "worktree",
    description: "Show, merge or remove this session's git worktree; north -w NAME creates one.",
    usage: "/worktree [merge [MESSAGE] | remove]",
    complete: (argument) => startingWith(argument, ["merge", "remove"]),
    async run(argumentsText, context) {
        const current = await context.project.worktree();
        if (!current) {
            return context.screen.print(
                "This session has no worktree; `north -w NAME` creates one."
            );
        }
        const [word, ...words] = argumentsText.trim().split(/\s+/);
        switch (word) {
            case "":
                context.screen.print(titleOf(current));
                if (current.commits.length + current.uncommitted.length === 0) return;
                return context.screen.printVerbatim(linesOf(current).join("\n"));
            case "merge":
                return merge(current, words.join(" ") || current.branch, context);
            case "remove":
                return remove(current, context);
            default:
                throw wrongUsage(worktree);
        }
    },
};

function titleOf({ branch, target, folder, commits, uncommitted }: Worktree): string {
    const files = counted(uncommitted.length, "uncommitted file");
    return `${folder}, branch ${branch}: ${counted(commits.length, "commit")} ahead of ${target}, ${files}`;
}

function linesOf({ commits, uncommitted }: Worktree): readonly string[] {
    return [...commits, ...uncommitted].map((line) => `  ${line}`);
}

async function merge(current: Worktree, message: string, context: SlashContext): Promise<void> {
    const { branch, target, commits, uncommitted } = current;
    if (commits.length + uncommitted.length === 0) {
        return context.screen.print(`${branch} has nothing to merge into ${target}.`);
    }
    const files = counted(uncommitted.length, "file");
    const first = uncommitted.length > 0 ? `Commit ${files} and merge` : "Merge";
    const details = [...linesOf(current), await current.diff()];
    if (!(await context.screen.confirm(`${first} ${branch} into ${target}?`, { details }))) {
        return context.screen.print("Nothing was merged.");
    }
    context.screen.print(await current.merge(message));
}

async function remove(current: Worktree, context: SlashContext): Promise<void> {
    const { folder, uncommitted } = current;
    const files = counted(uncommitted.length, "uncommitted file");
    const lost = uncommitted.length > 0 ? `, with ${files}` : "";
    const { jobs } = context.shell;
    const running = jobs.list().filter(({ state }) => state === "running");
    const stops = running.length > 0 ? `, stop ${counted(running.length, "job")}` : "";
    const question = `Remove ${folder}${lost}${stops}, and quit?`;
    const details = [...linesOf(current), ...running.map(({ command }) => command)];
    if (!(await context.screen.confirm(question, { details, lasts: true }))) {
        return context.screen.print("Nothing was removed.");
    }
    // One that still writes could bring the folder back.
    await Promise.all(running.map(({ id }) => jobs.stop(id)));
    context.screen.print(await current.remove());
    context.screen.quit();
}
