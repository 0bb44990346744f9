const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** Unmarked pastes come in pieces of at least this size. */
const LARGE = 512;
/** Nobody types so much between two looks at the keyboard. */
const LONGER_THAN_TYPED = 100;

export type InputPiece =
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "sequence"; readonly text: string }
    /** `isMarked`: its beginning and end were told, so that nothing more belongs to it. */
    | { readonly type: "paste"; readonly text: string; readonly isMarked: boolean };

/** Cuts what a terminal sends into text, sequences and pastes, wherever its chunks were cut. */
export class InputSplitter {
    private held = "";
    private pasted: string | undefined;

    /** Something incomplete is waiting for its rest; a lone Escape looks like that too. */
    get isHolding(): boolean {
        return this.held !== "";
    }

    /** `continuesPaste`: this chunk follows closely on a large one without marks. */
    push(chunk: string, continuesPaste = false): InputPiece[] {
        const input = this.held + chunk;
        this.held = "";
        if (this.pasted === undefined && (continuesPaste || isUnmarkedPaste(input))) {
            return [{ type: "paste", text: input, isMarked: false }];
        }

        return this.cut(input);
    }

    /** Gives out what was held back, when nothing more came. */
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
                rest = this.takePaste(rest, pieces);
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
            if (text === PASTE_START) this.pasted = "";
            else pieces.push({ type: "sequence", text });
        }
        return pieces;
    }

    private takePaste(input: string, pieces: InputPiece[]): string {
        const before = this.pasted ?? "";
        const all = before + input;
        const end = all.indexOf(PASTE_END, Math.max(0, before.length - PASTE_END.length));
        if (end < 0) {
            this.pasted = all;
            return "";
        }
        this.pasted = undefined;
        pieces.push({ type: "paste", text: all.slice(0, end), isMarked: true });
        return all.slice(end + PASTE_END.length);
    }
}

/** A paste without marks, so large that what follows at once may belong to it. */
export function isOpenPaste(piece: InputPiece | undefined): boolean {
    return piece?.type === "paste" && !piece.isMarked && piece.text.length >= LARGE;
}

// A terminal without bracketed paste, or a program that writes to it, sends lines faster than anybody
// types. One short line and the beginning of the next may have been typed while North was busy.
function isUnmarkedPaste(chunk: string): boolean {
    if (chunk.includes("\u001b")) return false;
    const innerBreaks = chunk.match(/[\r\n](?=[^\r\n\p{Cc}])/gu)?.length ?? 0;
    return innerBreaks > 1 || (innerBreaks === 1 && chunk.length >= LONGER_THAN_TYPED);
}

/** The length of the sequence at the beginning; `undefined` while it is incomplete. */
function sequenceLength(input: string): number | undefined {
    if (input.length === 1) return undefined;
    // A second Escape belongs to the next key, unless it is Alt with a sequence.
    if (input[1] === "\u001b") return 1;
    if (input[1] === "O") return input.length > 2 ? 3 : undefined;
    if (input[1] !== "[") return 1 + String.fromCodePoint(input.codePointAt(1) ?? 0).length;
    const match = /^\u001b\[(?:\[.|[0-?]*[ -/]*[@-Z\\-~])/.exec(input);
    if (match) return match[0].length;
    return /^\u001b\[\[?[0-?]*[ -/]*$/.test(input) && input.length < 32 ? undefined : 1;
}
