import { parentPort } from "node:worker_threads";
import { isExpectedError } from "../base/north-error.js";
import { languageOfId } from "./languages.js";
import type { ParseAnswer, ParseRequest } from "./parse-in-worker.js";
import { readSections } from "./read-sections.js";
import { readSyntaxErrors } from "./syntax-errors.js";

async function answer({ what, languageId, text }: ParseRequest): Promise<ParseAnswer> {
    const language = languageOfId(languageId);
    if (language === undefined) return { kind: "read", found: [] };
    try {
        const read = what === "sections" ? readSections : readSyntaxErrors;
        return { kind: "read", found: await read(language, text) };
    } catch (error) {
        if (isExpectedError(error)) return { kind: "too-complex" };
        throw error;
    }
}

// A rejection ends the worker with an error, which the other side is given.
parentPort?.on("message", (request: ParseRequest) => {
    void answer(request).then((value) => parentPort?.postMessage(value));
});

parentPort?.postMessage("ready");
