import { chmodSync, lstatSync } from "node:fs";

/** Folders of a layer that North may change until `close`, whatever modes a command gave them. */
export class WritableFolders {
    private readonly modes = new Map<string, number>();

    open(folder: string): void {
        const mode = lstatSync(folder).mode & 0o7777;
        if ((mode & 0o700) !== 0o700) this.setLater(folder, mode);
    }

    /** Sets a folder's mode once nothing is changed any more. */
    setLater(folder: string, mode: number): void {
        this.modes.set(folder, mode);
        chmodSync(folder, mode | 0o700);
    }

    close(): void {
        for (const [folder, mode] of [...this.modes].reverse()) chmodSync(folder, mode);
    }
}
