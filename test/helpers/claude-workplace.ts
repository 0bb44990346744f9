import { readdirSync } from "node:fs";
import path from "node:path";
import {
    startMessagesServer,
    type MessagesServer,
    type MessagesServerOptions,
} from "./vendors/messages-server.js";
import { eventually, Workplace, type OpenOptions, type RunOptions } from "./north-program.js";
import type { PseudoTerminal } from "./pseudo-terminal.js";

/** The empty composer, waiting for input. */
export const IDLE = /❯ *$/;

export const KEY = "test-key-that-nobody-may-see";

/** Resolves once a North holds the conversation: a chat shows its prompt before. */
export function isHeld(place: Workplace, id: string): Promise<void> {
    const folder = path.join(place.data, "conversations");
    const holds = () => readdirSync(folder).some((name) => name.startsWith(`${id}.holder`));
    return eventually(holds, `a North that holds ${id}`);
}

/** A workplace whose North talks to a strict stand-in for Anthropic. */
export class ClaudeWorkplace extends Workplace {
    private vendor?: MessagesServer;

    get server(): MessagesServer {
        if (this.vendor === undefined) throw new Error("Nothing was served yet");
        return this.vendor;
    }

    /** Starts the server, replacing any earlier one. */
    async serve(script: MessagesServerOptions["script"]): Promise<void> {
        await this.vendor?.close();
        this.vendor = await startMessagesServer({ script, apiKey: KEY });
    }

    /** Opens the chat in a terminal and waits for its prompt. */
    async chat(args: readonly string[] = [], look: OpenOptions = {}): Promise<PseudoTerminal> {
        const terminal = this.open(args, look);
        await terminal.waitFor(IDLE);
        return terminal;
    }

    override environment(extra: RunOptions["env"] = {}): Record<string, string> {
        const vendor = this.vendor && {
            ANTHROPIC_API_KEY: KEY,
            ANTHROPIC_BASE_URL: this.vendor.url,
        };
        return super.environment({ ...vendor, ...extra });
    }

    override async remove(): Promise<void> {
        try {
            await super.remove();
        } finally {
            await this.vendor?.close();
        }
    }
}
