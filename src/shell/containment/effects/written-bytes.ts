import { lstat, opendir } from "node:fs/promises";
import path from "node:path";

const EVERY_MS = 1000;
const MOST_BYTES = 4 * 1024 ** 3;
const MOST_FILES = 200_000;

/** Ends a run that fills the disk. A look at intervals: what is written in between is not prevented. */
export class WrittenBytes {
    readonly limit = "4 GB or 200,000 files";
    isTooMuch = false;
    private readonly timer: NodeJS.Timeout;
    private isLooking = false;

    constructor(
        private readonly folder: string,
        private readonly onTooMuch: () => void
    ) {
        this.timer = setInterval(() => void this.look(), EVERY_MS);
    }

    stop(): void {
        clearInterval(this.timer);
    }

    private async look(): Promise<void> {
        if (this.isLooking) return;
        this.isLooking = true;
        const room = { bytes: MOST_BYTES, files: MOST_FILES };
        await measure(this.folder, room);
        this.isLooking = false;
        if (room.bytes > 0 && room.files > 0) return;
        this.isTooMuch = true;
        this.onTooMuch();
    }
}

async function measure(folder: string, room: { bytes: number; files: number }): Promise<void> {
    const entries = await opendir(folder).catch(() => undefined);
    if (!entries) return;
    for await (const entry of entries) {
        if (room.bytes <= 0 || room.files-- <= 0) return;
        const place = path.join(folder, entry.name);
        if (entry.isDirectory()) {
            await measure(place, room);
        } else {
            room.bytes -= await lstat(place).then(
                ({ blocks }) => blocks * 512,
                () => 0
            );
        }
    }
}
