import type { ToolFailure } from "../../../plugin/index.js";
import type { Turn } from "../turn.js";

/** Adds to a failed edit which other session edited its files of late. */
export async function withEditors(
    { editedElsewhere }: Pick<Turn, "editedElsewhere">,
    { error }: ToolFailure,
    paths: Iterable<string>
): Promise<ToolFailure> {
    const editors = (await editedElsewhere?.([...paths])) ?? [];
    const hint = [...editors.map((sentence) => `${sentence}.`), error.hint].filter(Boolean);
    return { ok: false, error: hint.length === 0 ? error : { ...error, hint: hint.join(" ") } };
}
