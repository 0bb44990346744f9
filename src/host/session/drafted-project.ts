import type { DraftPlace, TurnProject } from "../../core/agent/turn.js";
import { type ContainedRuns, NO_OUTPUTS } from "../../core/approval/contained-runs.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { type StoredView, withChanges } from "../../core/draft/view.js";
import { draftApplier } from "../operations/draft-applier.js";
import { draftPlace } from "../operations/drafts.js";
import type { Project } from "../project/open-project.js";
import type { Mode } from "../../plugin/index.js";

/** The draft of a conversation, read again at each use. */
type Drafting = Pick<Conversation, "id" | "draft">;

/** The project of a turn in draft mode: it reads and runs in the draft, and writes to it. */
export function draftedProject(
    project: TurnProject,
    drafting: Drafting,
    costSince?: DraftPlace["costSince"]
): TurnProject & Required<Pick<TurnProject, "draft">> {
    const view = () => drafting.draft.view;
    const workspace = workspaceInDraft(project, drafting);
    const hasFolder = async (folder: string) => (await workspace.status(folder))?.type === "dir";
    return {
        ...project,
        workspace,
        shell: project.shell.inDraft?.(hasFolder) ?? project.shell,
        ...(project.contained && {
            contained: containedInDraft(project.contained, drafting, project.contents),
        }),
        applier: draftApplier(project, view),
        draft: {
            ...draftPlace(
                project.workspace.root,
                project,
                async () => (await project.contained?.outputsOf?.(drafting.id)) ?? NO_OUTPUTS
            ),
            ...(costSince && { costSince }),
        },
    };
}

/** The project of a turn; in any mode others can work in drafts of it. */
export function projectInMode(
    mode: Mode,
    drafting: Drafting,
    costSince: DraftPlace["costSince"],
    own: TurnProject
): TurnProject {
    const project = { ...own, drafted: (other: Drafting) => draftedProject(own, other) };
    return mode === "draft" ? draftedProject(project, drafting, costSince) : project;
}

function workspaceInDraft(
    { workspace, contents }: Pick<TurnProject, "workspace" | "contents">,
    drafting: Drafting
) {
    return workspace.inView({ view: () => drafting.draft.view, contents });
}

/** What North itself reads and runs in for a session: in draft mode the draft. */
export function placeInMode(
    {
        workspace,
        contained,
        stores: { contents },
    }: Pick<Project, "workspace" | "contained" | "stores">,
    mode: Mode,
    drafting: Drafting
) {
    if (mode !== "draft") return { workspace, contained };
    return {
        workspace: workspaceInDraft({ workspace, contents }, drafting),
        contained: containedInDraft(contained, drafting, contents),
    };
}

/** The same runs, which see the draft. */
function containedInDraft(
    runs: ContainedRuns,
    drafting: Drafting,
    contents: StoredView["contents"]
): ContainedRuns {
    const { start } = runs;
    return {
        get mode() {
            return runs.mode;
        },
        get reachesHosts() {
            return runs.reachesHosts ?? false;
        },
        // Also of an empty draft: the next run must see what the first one changed.
        unavailable: async () =>
            (await runs.unavailable()) ??
            (runs.showsViews ? undefined : "Commands that can only read do not see a draft."),
        notice: () => runs.notice(),
        ...(start && {
            start: (command, options) => {
                const view = { files: drafting.draft.view, contents };
                return start(command, { ...options, view });
            },
        }),
        ...(runs.setVariables && { setVariables: () => runs.setVariables?.() ?? NOTHING }),
        run: (command, folder, { holdsOutputs: _, view, ...options }) => {
            const base = { files: drafting.draft.view, contents };
            return runs.run(command, folder, {
                ...options,
                view: view ? viewOver(base, view) : base,
                draft: drafting.id,
                // What a proposal builds is not part of the draft yet.
                discardsOutputs: view !== undefined,
            });
        },
    };
}

/** A view of changes of another view. */
function viewOver(base: StoredView, { files, contents }: StoredView): StoredView {
    const own = new Set([...files.values()].map(({ afterHash }) => afterHash));
    const changes = [...files.values()].map((file) => {
        const modeAfter = file.modeAfter ?? base.files.get(file.path)?.modeAfter;
        return { ...file, ...(modeAfter !== undefined && { modeAfter }) };
    });
    return {
        files: withChanges(base.files, changes),
        contents: { get: (hash) => (own.has(hash) ? contents : base.contents).get(hash) },
    };
}

const NOTHING = Promise.resolve(undefined);
