/** Ask mode offers only read-only tools, agent mode all of them. */
export type Mode = "ask" | "agent";
