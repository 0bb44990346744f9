import { counted } from "../../base/format.js";
import { withSpinner } from "../../chat/terminal/spinner.js";

/** Called before each of several files. */
export type OnFile = (done: number, files: number) => void;

const SHOWN_AFTER_MS = 1_000;

/** Shows the progress of `work`, which reads histories, if it takes long. */
export function lookingForLines<Result>(
    work: (onFile: OnFile) => Promise<Result>
): Promise<Result> {
    const text = "Looking for lines by models";
    return withSpinner(
        text,
        (update) => work((done, files) => update(`${text}: ${done} of ${counted(files, "file")}`)),
        process.stderr,
        SHOWN_AFTER_MS
    );
}
