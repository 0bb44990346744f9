import { closeAll } from "./open-connections.js";

/** oclif's last hook: the command is done, so its servers end too. */
export default async function closeServers(): Promise<void> {
    await closeAll();
}
