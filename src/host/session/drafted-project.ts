import { lstat } from "node:fs/promises";
import path from "node:path";
import { sha256 } from "../../base/sha256.js";
import { ifAbsent } from "../../base/system-error.js";
import type { ChangeApplier, TurnProject } from "../../core/agent/turn.js";
import type { ContainedRuns } from "../../core/approval/contained-runs.js";
import type { Conversation } from "../../core/conversation/fold.js";
import type { StoredView, View } from "../../core/view/view.js";
import { draftPlace } from "../operations/drafts.js";
import type { ChangedFile, FileChange } from "../../plugin/index.js";

/** The draft of a conversation, read anew at each use. */
type Drafting = Pick<Conversation, "id" | "draft">;

/** The project of a turn in draft mode: it reads and runs in the draft, and writes to it. */
export function draftedProject(project: TurnProject, drafting: Drafting): TurnProject {
    const view = () => drafting.draft.view;
    return {
        ...project,
        workspace: project.workspace.inView({ view, contents: project.contents }),
        ...(project.contained && {
            contained: containedInDraft(project.contained, drafting, project.contents),
        }),
        applier: draftApplier(project.applier, project.workspace.root, view),
        draft: draftPlace(project.workspace.root, project),
    };
}

/** The same runs, which see the draft. */
export function containedInDraft(
    runs: ContainedRuns,
    drafting: Drafting,
    contents: StoredView["contents"]
): ContainedRuns {
    return {
        get mode() {
            return runs.mode;
        },
        get reachesHosts() {
            return runs.reachesHosts ?? false;
        },
        unavailable: async () => (await runs.unavailable()) ?? whyNotShown(runs),
        notice: () => runs.notice(),
        ...(runs.setVariables && { setVariables: () => runs.setVariables?.() ?? NOTHING }),
        run: (command, folder, { holdsOutputs: _, ...options }) =>
            runs.run(command, folder, {
                ...options,
                view: { files: drafting.draft.view, contents },
                draft: drafting.id,
            }),
    };
}

/** Asked of an empty draft too: what runs next is to see what the first run changed. */
function whyNotShown({ showsViews }: ContainedRuns): string | undefined {
    return showsViews ? undefined : "Commands that can only read do not see a draft.";
}

const NOTHING = Promise.resolve(undefined);

function draftApplier(base: ChangeApplier, root: string, view: () => View): ChangeApplier {
    const fileOf = async (change: FileChange): Promise<ChangedFile> => {
        const { realPath = change.path, type, typeBefore, beforeHash, after, mode } = change;
        const known = view().get(realPath);
        const place = path.join(root, realPath);
        const stats = known ? null : await ifAbsent(lstat(place), null);
        const modeBefore = known ? known.modeAfter : stats ? stats.mode & 0o7777 : undefined;
        const modeAfter = mode ?? modeBefore ?? 0o666 & ~process.umask();
        return {
            path: realPath,
            ...(type && { type }),
            ...(typeBefore && { typeBefore }),
            beforeHash,
            afterHash: after === null ? null : sha256(after),
            ...(modeBefore !== undefined && { modeBefore }),
            ...(after !== null && { modeAfter }),
        };
    };
    return {
        resolve: (changeSet) => base.resolve(changeSet),
        async apply({ changes }, announce) {
            const files = await Promise.all(changes.map(fileOf));
            await announce(files);
            return { kind: "applied", files };
        },
    };
}
