import type { OutputListener } from "../../running-output.js";
import type { Limits, Refusal } from "../containment.js";
import { NetworkWatch, type WatchedRun } from "./network-watch.js";
import {
    descendants,
    hasRoom,
    machineUse,
    measure,
    measureAsRoot,
    memoryFolders,
    memoryOf,
    type Room,
    unnamedFiles,
} from "./usage.js";

const DISK_EVERY_MS = 1000;
const PROCESSES_EVERY_MS = 250;
/** Looking at very many files takes at most this part of the time. */
const MAX_SHARE = 0.1;
const MAX_FILES = 200_000;
const MB = 1024 ** 2;
const UNMEASURED = ": its sockets hold files, whose size cannot be measured";

/** Below 1: processes that fail to start at the limit cannot be counted. */
const FULL = 0.9;

/**
 * Stops a run that uses too much, or only waits for the network. Polls, so in between only the
 * kernel's limits apply: per process and per file.
 */
export class RunLimits {
    /** Set once it has stopped the run. */
    refusal: Refusal | undefined;
    readonly network = new NetworkWatch();
    private printed = 0;
    /** Bytes of files in memory, as of the last look. */
    private inMemory = 0;
    private look: Promise<void> | undefined;
    private nextLook = 0;
    private run: WatchedRun | undefined;
    private before: ReturnType<typeof machineUse> | undefined;
    /** What the whole machine has used since, while sockets hold files. */
    private growth = { memory: 0, disk: 0 };
    private timers: readonly NodeJS.Timeout[] = [];

    constructor(
        private readonly limits: Limits,
        /** The folders the run writes to. */
        private readonly folders: readonly string[],
        /** Whether its network and its files in memory are its own, and not the machine's. */
        private readonly machine: "own" | "shared" = "own",
        /** Whether an overlay keeps a folder for itself, with a mode that keeps everyone out. */
        private readonly isOverlays: (folder: string) => boolean = () => this.machine === "shared"
    ) {}

    /** `hasHosts`: it may wait for the user, which is no reason to stop it. */
    watch(run: WatchedRun, hasHosts = false): void {
        this.run = run;
        this.before = machineUse(this.folders[0] ?? "/");
        if (this.machine === "own" && !hasHosts) this.network.watch(run);
        this.timers = [
            setInterval(() => this.pollFiles(), DISK_EVERY_MS),
            setInterval(() => this.lookAtProcesses(run.firstProcess), PROCESSES_EVERY_MS),
        ];
    }

    /** Looks once more: a quick command ends between two looks. */
    async lookAtEnd(): Promise<void> {
        await this.look;
        await this.lookAtFiles();
    }

    end(): void {
        for (const timer of this.timers) clearInterval(timer);
        this.network.end();
    }

    /** A listener that also counts output towards the write limit. */
    counting(listener: OutputListener | undefined): OutputListener {
        return (piece) => {
            this.print(piece.text);
            listener?.(piece);
        };
    }

    private print(text: string): void {
        const { writtenMb } = this.limits;
        this.network.print(text);
        this.printed += text.length;
        if (this.printed > writtenMb * MB) this.stop(`to print more than ${writtenMb} MB`);
    }

    private pollFiles(): void {
        const began = performance.now();
        if (this.look !== undefined || began < this.nextLook) return;
        this.look = this.lookAtRunning().finally(() => {
            const ended = performance.now();
            this.nextLook = ended + (ended - began) / MAX_SHARE - DISK_EVERY_MS;
            this.look = undefined;
        });
    }

    /** Once it has ended, its effects name the path that is too long. */
    private async lookAtRunning(): Promise<void> {
        const { isTooDeep } = await this.lookAtFiles();
        if (isTooDeep) this.stop("to write a path that is too long");
    }

    private async lookAtFiles(): Promise<Room> {
        const { limits, run } = this;
        const first = run?.firstProcess;
        const processes = first === undefined ? [] : descendants(first, limits.processes);
        const unnamed = unnamedFiles(processes);
        const folders = this.machine === "own" ? await memoryFolders(first) : 0;
        this.inMemory = unnamed.memory + folders;
        const all: Room = {
            bytes: limits.writtenMb * MB - unnamed.disk - folders,
            files: MAX_FILES,
            closed: [],
        };
        const room = { ...all };
        for (const folder of this.folders) {
            await measure(Buffer.from(folder).toString("latin1"), room);
        }
        if (first !== undefined && room.closed.some((folder) => !this.isOverlays(folder))) {
            await measureAsRoot(first, this.folders, Object.assign(room, all));
        }
        this.growth = unnamed.inTransit ? this.growthSinceStart() : { memory: 0, disk: 0 };
        if (room.bytes <= 0) this.stop(`to write more than ${limits.writtenMb} MB`);
        if (this.growth.disk > limits.writtenMb * MB) {
            this.stop(`to write more than ${limits.writtenMb} MB${UNMEASURED}`, "may need");
        }
        if (room.files <= 0) this.stop(`to write more than ${MAX_FILES} files`);
        // A file that was cut off must not be applied, whatever the exit code says.
        const written = all.bytes - room.bytes;
        if (this.machine === "own" && !this.folders.every((folder) => hasRoom(folder, written))) {
            this.stop("more space for its changes than is left");
        }
        return room;
    }

    private growthSinceStart() {
        const now = machineUse(this.folders[0] ?? "/");
        const { memory, disk } = this.before ?? now;
        return { memory: now.memory - memory, disk: now.disk - disk };
    }

    private lookAtProcesses(firstProcess: number | undefined): void {
        const { limits } = this;
        if (firstProcess === undefined) return;
        const processes = descendants(firstProcess, limits.processes);
        if (processes.length >= limits.processes * FULL) {
            return this.stop(`more than ${limits.processes} processes`);
        }
        const room = limits.memoryMb * MB - this.inMemory;
        const least = Math.min(room, limits.memoryMb * MB - this.growth.memory);
        const held = memoryOf(processes, least);
        if (held <= least) return;
        const what = `more than ${limits.memoryMb} MB of memory`;
        if (held > room) this.stop(what);
        else this.stop(`${what}${UNMEASURED}`, "may need");
    }

    private stop(what: string, how = "needs"): void {
        this.refusal ??= { what: "size", text: `It ${how} ${what}` };
        this.end();
        this.run?.kill();
    }
}
