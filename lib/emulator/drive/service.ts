import type { EmulatedService, ServiceSeed } from "../service.ts";
export function createDrive(_seed: ServiceSeed): EmulatedService {
  return { name: "drive", routes: [], inspect: () => ({}) };
}
