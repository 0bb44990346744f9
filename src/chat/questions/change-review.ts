import type { ApprovalRequest, Decision } from "../../core/approval/approver.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { describeError } from "../describe-error.js";
import type { LiveView } from "../live-view.js";
import { editFiles, findPager, page, type Lender } from "../terminal/programs.js";
import { safeLine } from "../terminal/safe-text.js";
import { cutLines, diffLines, type DiffStyle } from "./diff-lines.js";
import { splitChanges, type Hunk } from "./hunks.js";
import { askKey, CANCELLED, type KeyChoice, type QuestionPlace } from "./key-question.js";

const MAX_DIFF_LINES = 100;
/** The beginning of a longer diff has left a small window when its end is asked about. */
const LONG_DIFF_LINES = 18;

/** Where a change is reviewed; other programs may have the terminal for a while. */
export type ReviewPlace = QuestionPlace & {
    readonly terminal: QuestionPlace["terminal"] & Lender;
    readonly view: Pick<LiveView, "columns">;
};

type WriteRequest = Extract<ApprovalRequest, { kind: "write" }>;

/** The key that settled a review, or a decision that was made part by part. */
export type ReviewAnswer =
    | { readonly kind: "key"; readonly key: string }
    | { readonly kind: "decision"; readonly decision: Decision };

/** Shows a change and asks until it is settled: as a whole, hunk by hunk, or by another change. */
export async function reviewChange(
    request: WriteRequest,
    place: ReviewPlace & { readonly isChanged: boolean },
    signal: AbortSignal
): Promise<ReviewAnswer> {
    const { isChanged } = place;
    const { theme } = place.terminal;
    const { loadDiffDetails } = await import("./diff-details.js");
    const details = await loadDiffDetails(request.changeSet, theme);
    const style = { theme, details, columns: place.view.columns };
    const lines = diffLines(request.diffs, style);
    const { shown, rest } = cutLines(lines, MAX_DIFF_LINES, theme);
    const note = isChanged ? theme.quiet(" · as you changed it") : "";
    place.view.print(`\n${theme.question("?")} ${safeLine(request.intent)}${note}`);
    place.view.printVerbatim(shown);
    const isLong = lines.length > LONG_DIFF_LINES;
    const pager = isLong ? await findPager(place.terminal.environment) : undefined;
    const show = (): void => place.view.printVerbatim(rest);
    const view = {
        key: "v",
        ...(pager ? { label: "view it all" } : { label: "view the rest", show }),
    };
    const choices: readonly KeyChoice[] = [
        ...CHOICES,
        ...(hasParts(request) ? [{ key: "h", label: "hunk by hunk" }] : []),
        ...(request.changeSet.changes.some(isText) ? [{ key: "e", label: "edit" }] : []),
        ...(pager || rest.length > 0 ? [view] : []),
    ];
    for (;;) {
        const key = await askKey(place, choices, signal);
        if (key === "v" && pager) {
            await page(place.terminal, pager, `${lines.join("\n")}\n`);
        } else if (key === "h") {
            return reviewHunks(request, place, signal, style);
        } else if (key === "e") {
            const decision = await editChange(request, place);
            if (decision) return { kind: "decision", decision };
        } else {
            return { kind: "key", key };
        }
    }
}

const CHOICES = [
    { key: "a", label: "accept" },
    { key: "y", label: "always accept edits" },
    { key: "r", label: "reject" },
] as const;

function hasParts({ diffs }: WriteRequest): boolean {
    const headers = diffs.flatMap(({ diff }) => diff.match(/^@@ /gm) ?? []);
    return diffs.length > 1 || headers.length > 1;
}

async function reviewHunks(
    { changeSet, diffs }: WriteRequest,
    place: ReviewPlace,
    signal: AbortSignal,
    style: DiffStyle
): Promise<ReviewAnswer> {
    const { hunks, compose } = splitChanges(changeSet, diffs);
    const accepted = new Set<Hunk>();
    for (const [index, hunk] of hunks.entries()) {
        const { theme } = place.terminal;
        const title = theme.question(`? Hunk ${index + 1} of ${hunks.length}:`);
        const [header = "", ...lines] = diffLines([hunk.diff], style);
        place.view.printVerbatim(["", `${title} ${header}`, ...lines]);
        const key = await askKey(place, HUNK_CHOICES, signal);
        if (key === CANCELLED) return { kind: "key", key };
        if (key === "a") accepted.add(hunk);
        place.view.print(theme.quiet(key === "a" ? "  Accepted." : "  Left out."));
    }
    if (accepted.size === 0) return { kind: "key", key: "r" };
    if (accepted.size === hunks.length) return { kind: "decision", decision: { kind: "approve" } };
    const headers = [...accepted].map(({ path, header }) => `${path} ${header}`);
    const composed = compose(accepted);
    return {
        kind: "decision",
        decision: { kind: "modify", changeSet: composed, hunks: headers },
    };
}

const HUNK_CHOICES = [
    { key: "a", label: "accept this hunk" },
    { key: "r", label: "leave it out" },
] as const;

/** What the user made of the proposal; `undefined` when it was left as it is. */
async function editChange(
    { changeSet }: WriteRequest,
    { terminal, view }: ReviewPlace
): Promise<Decision | undefined> {
    const texts = changeSet.changes.filter(isText);
    const files = texts.map(({ path, after }) => ({ name: path, content: after }));
    const edited = await editFiles(terminal, files).catch((error: unknown) => {
        view.print(describeError(error, "the log", terminal.theme));
        return undefined;
    });
    const contents = new Map(texts.map(({ path }, index) => [path, edited?.[index]]));
    const changed = texts.filter(({ path, after }) => {
        const content = contents.get(path);
        return content !== undefined && Buffer.compare(content, after) !== 0;
    });
    if (changed.length === 0) return undefined;
    const changes = changeSet.changes
        .map((change) => ({ ...change, after: contents.get(change.path) ?? change.after }))
        .filter(({ before, after }) => !before || !after || Buffer.compare(before, after) !== 0);
    if (changes.length === 0) return { kind: "deny", reason: "The user edited the change away." };
    const hunks = await headersOf({ changes }, new Set(changed.map(({ path }) => path)));
    return { kind: "modify", changeSet: { changes }, hunks };
}

async function headersOf(changeSet: ChangeSet, edited: ReadonlySet<string>): Promise<string[]> {
    const { hunks } = splitChanges(changeSet, []);
    return hunks.map(
        ({ path, header }) => `${path} ${header}${edited.has(path) ? " edited by the user" : ""}`
    );
}

function isText(change: FileChange): change is FileChange & { readonly after: Uint8Array } {
    return change.after !== null && !change.after.includes(0);
}
