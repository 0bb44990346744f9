import type { ObservedEvent, EventOrigin, RegisterHook } from "north-cli/plugin";
import { settingsIn, type Settings } from "./settings.js";
import type { Telemetry } from "./telemetry.js";

const register: RegisterHook = async ({ settings: given = {}, northVersion = "unknown" }) => {
    const { settings, problems } = settingsIn(given, process.env);
    if (!settings) return { apiVersion: 1, problems };
    const late = new LateTelemetry(settings, northVersion);
    return {
        apiVersion: 1,
        problems,
        observers: [
            {
                name: "otel",
                onEvent: (event: ObservedEvent, origin: EventOrigin) =>
                    late.tell((telemetry) => telemetry.event(event, origin)),
                ...(settings.contents && {
                    observe: (record, origin) =>
                        late.tell((telemetry) => telemetry.record(record, origin)),
                }),
            },
        ],
        close: () => late.close(),
    };
};

export default register;

/** Loads telemetry with the first event: the SDK would delay the first prompt. */
class LateTelemetry {
    private telemetry: Promise<Telemetry> | undefined;
    private told: Promise<void> = Promise.resolve();

    constructor(
        private readonly settings: Settings,
        private readonly version: string
    ) {}

    tell(work: (telemetry: Telemetry) => void): void {
        this.telemetry ??= import("./telemetry.js").then(
            ({ Telemetry }) => new Telemetry(this.settings, this.version)
        );
        const { telemetry } = this;
        this.told = this.told.then(async () => work(await telemetry)).catch(() => {});
    }

    /** Sends what is left. */
    async close(): Promise<void> {
        await this.told;
        const telemetry = await this.telemetry?.catch(() => undefined);
        await telemetry?.close();
    }
}
