const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** Min size of the chunks of an unmarked paste. */
const LARGE = 512;
/** Nobody types this much between two reads. */
const LONGER_THAN_TYPED = 100;

export type InputPiece =
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "sequence"; readonly text: string }
    /** `isMarked`: bracketed, so that later chunks do not belong to it. */
    | { readonly type: "paste"; readonly text: string; readonly isMarked: boolean };

/** Splits terminal input into text, sequences and pastes, across chunk boundaries. */
export class InputSplitter {
    private held = "";
    /** Chunks of a bracketed paste, which are joined once. */
    private pasted: string[] | undefined;

    /** Waiting for the rest of a sequence; a lone Escape looks the same. */
    get isHolding(): boolean {
        return this.held !== "";
    }

    /** `continuesPaste`: this chunk closely follows a large unmarked one. */
    push(chunk: string, continuesPaste = false): InputPiece[] {
        const input = this.held + chunk;
        this.held = "";
        if (this.pasted === undefined && (continuesPaste || isUnmarkedPaste(input))) {
            return [{ type: "paste", text: input, isMarked: false }];
        }

        return this.cut(input);
    }

    /** Returns what was held back, once nothing more came. */
    flush(): InputPiece[] {
        const text = this.held;
        this.held = "";
        if (text === "") return [];
        return [{ type: text === "\u001b" ? "sequence" : "text", text }];
    }

    private cut(input: string): InputPiece[] {
        const pieces: InputPiece[] = [];
        let rest = input;
        while (rest !== "") {
            if (this.pasted !== undefined) {
                rest = this.takePaste(this.pasted, rest, pieces);
                continue;
            }
            const escape = rest.indexOf("\u001b");
            if (escape !== 0) {
                const text = escape < 0 ? rest : rest.slice(0, escape);
                pieces.push({ type: "text", text });
                rest = rest.slice(text.length);
                continue;
            }
            const length = sequenceLength(rest);
            if (length === undefined) {
                this.held = rest;
                break;
            }
            const text = rest.slice(0, length);
            rest = rest.slice(length);
            if (text === PASTE_START) this.pasted = [];
            else pieces.push({ type: "sequence", text });
        }
        return pieces;
    }

    private takePaste(chunks: string[], input: string, pieces: InputPiece[]): string {
        // The end mark may have begun in the last chunk.
        const recent = (chunks.pop() ?? "") + input;
        const end = recent.indexOf(PASTE_END);
        if (end < 0) {
            const kept = recent.length - PASTE_END.length;
            chunks.push(recent.slice(0, Math.max(0, kept)), recent.slice(Math.max(0, kept)));
            return "";
        }
        this.pasted = undefined;
        const text = [...chunks, recent.slice(0, end)].join("");
        pieces.push({ type: "paste", text, isMarked: true });
        return recent.slice(end + PASTE_END.length);
    }
}

/** A large unmarked paste that the next chunk may continue. */
export function isOpenPaste(piece: InputPiece | undefined): boolean {
    return piece?.type === "paste" && !piece.isMarked && piece.text.length >= LARGE;
}

// A terminal without bracketed paste, or a program writing to it, sends lines faster than anybody
// types. One short line and the start of the next may have been typed while North was busy.
function isUnmarkedPaste(chunk: string): boolean {
    if (chunk.includes("\u001b")) return false;
    const innerBreaks = chunk.match(/[\r\n](?=[^\r\n\p{Cc}])/gu)?.length ?? 0;
    return innerBreaks > 1 || (innerBreaks === 1 && chunk.length >= LONGER_THAN_TYPED);
}

/** Length of the sequence at the start; `undefined` while incomplete. */
function sequenceLength(input: string): number | undefined {
    if (input.length === 1) return undefined;
    // A second Escape starts the next key, unless it is Alt with a sequence.
    if (input[1] === "\u001b") return 1;
    if (input[1] === "O") return input.length > 2 ? 3 : undefined;
    if (input[1] !== "[") return 1 + String.fromCodePoint(input.codePointAt(1) ?? 0).length;
    const match = /^\u001b\[(?:\[.|[0-?]*[ -/]*[@-Z\\-~])/.exec(input);
    if (match) return match[0].length;
    return /^\u001b\[\[?[0-?]*[ -/]*$/.test(input) && input.length < 32 ? undefined : 1;
}
