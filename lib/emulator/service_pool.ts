/** The stateful services of every account, each made on its first request. */

import type { JsonObject } from "../json/mod.ts";
import type { EmulatedAccount } from "./credentials.ts";
import { seededRandom } from "./random.ts";
import {
  bySpecificity,
  type CompiledPattern,
  compilePattern,
  matchPattern,
} from "./route_match.ts";
import type { EmulatedRoute, EmulatedService } from "./service.ts";
import { registrationFor, SERVICE_REGISTRATIONS } from "./services.ts";
import { worldPeople } from "./world.ts";

interface LoadedService {
  service: EmulatedService;
  routes: { route: EmulatedRoute; pattern: CompiledPattern }[];
}

/** Services by account and name. */
export class ServicePool {
  #services = new Map<string, Promise<LoadedService>>();
  #loaded = new Map<string, EmulatedService>();
  /** One token per account: services of one world find each other's files by it. */
  #worlds = new Map<string, object>();

  constructor(readonly options: { seed: number; now: () => number }) {}

  /** The route that a request means; undefined when no stateful service has it. */
  async match(
    request: { method: string; host: string; path: string },
    account: EmulatedAccount,
  ): Promise<{ route: EmulatedRoute; params: Record<string, string> } | undefined> {
    const registration = registrationFor(request.host, request.path);
    if (registration === undefined) return undefined;
    const loaded = await this.#service(account, registration.name);
    for (const { route, pattern } of loaded.routes) {
      if (route.method !== request.method) continue;
      const params = matchPattern(pattern, request.path);
      if (params !== undefined) return { route, params };
    }
    return undefined;
  }

  /** State of every service that was used, by account. */
  inspect(): JsonObject {
    const state: JsonObject = {};
    for (const [key, service] of [...this.#loaded].sort(([a], [b]) => a < b ? -1 : 1)) {
      const [email, name] = key.split("\n") as [string, string];
      const ofAccount = (state[email] ?? {}) as JsonObject;
      ofAccount[name] = service.inspect();
      state[email] = ofAccount;
    }
    return state;
  }

  #service(account: EmulatedAccount, name: string): Promise<LoadedService> {
    const key = `${account.person.email}\n${name}`;
    let loading = this.#services.get(key);
    if (loading === undefined) {
      loading = this.#load(account, name, key);
      this.#services.set(key, loading);
    }
    return loading;
  }

  #worldOf(account: EmulatedAccount): object {
    let world = this.#worlds.get(account.person.email);
    if (world === undefined) {
      world = {};
      this.#worlds.set(account.person.email, world);
    }
    return world;
  }

  async #load(account: EmulatedAccount, name: string, key: string): Promise<LoadedService> {
    const registration = SERVICE_REGISTRATIONS.find((candidate) => candidate.name === name);
    if (registration === undefined) throw new Error(`no emulated service ${name}`);
    const create = await registration.load();
    const people = worldPeople(account.index);
    const service = create({
      random: seededRandom(this.options.seed, `${account.person.email}/${name}`),
      now: this.options.now(),
      account: account.person,
      people,
      world: this.#worldOf(account),
    });
    this.#loaded.set(key, service);
    const routes = service.routes.map((route) => ({
      route,
      pattern: compilePattern(route.pattern),
    })).sort(bySpecificity);
    return { service, routes };
  }
}
