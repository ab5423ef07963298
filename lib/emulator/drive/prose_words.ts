/** Vocabulary of the invented office prose. */

const words = (list: string): readonly string[] => list.split(" ");

/** Describing words. */
export const ADJECTIVES = words(
  "quarterly regional interim revised draft final joint northern pilot coastal legacy modular annual " +
    "seasonal upstream domestic combined preliminary external tactical archived portable bilingual " +
    "lightweight rolling binding open shared public internal urgent phased wholesale mobile optional " +
    "brittle crooked dusty electric faded galvanised hollow inflatable jagged knitted laminated muddy " +
    "narrow oversized painted quiet rusty salted tinted uneven velvet waterproof yellowed zinc-plated " +
    "borrowed chipped damp early fragile glossy hasty idle late magnetic nested orphaned patched rented " +
    "sealed temporary unpaid vacant wired amber compact detachable eastern fireproof granular hinged",
);

/** Things. */
export const NOUNS = words(
  "budget roadmap inventory forecast contract audit migration handbook rollout warehouse survey ledger " +
    "workshop onboarding pricing staffing logistics procurement prototype glossary checklist retention " +
    "telemetry calibration insulation turbine orchard ferry brochure archive catalogue tender invoice " +
    "payroll festival greenhouse shuttle tariff permit signage harvest subsidy ventilation lease mentor " +
    "kiosk sensor pavilion scaffold recipe timetable bakery library observatory tram depot lighthouse " +
    "anchor awning barrel beacon bench binder blueprint boiler bracket bridge bulletin buoy cabinet cable " +
    "canopy cargo carpet ceiling cellar chalkboard chimney cistern clamp compass conveyor corridor crate " +
    "culvert curtain cushion dashboard derrick diary dock drainpipe dryer easel elevator engine envelope " +
    "escalator exhibit facade faucet fence filter flange folder forklift fountain freezer funnel furnace " +
    "gallery gangway gasket gazebo generator girder grid gutter hallway hangar harness hatch hinge hoist " +
    "hopper hydrant incubator inkjet jetty junction kettle keypad kiln ladder lantern lathe lattice lever " +
    "loading-bay locker loom mailbox manifold mast meter mezzanine microscope mill mosaic motor mould nozzle " +
    "outlet paddock pallet panel parapet pedestal pier pipeline piston planter plinth podium press pulley " +
    "pump quarry racking radiator rafter rail ramp reactor reel reservoir rigging roof rotor rudder sail " +
    "scale screen shaft shelf shutter silo siren sketchbook sleeper sluice socket spindle stairwell stove " +
    "strut switchboard tank tarpaulin telescope terminal thermostat tiller towpath transformer trolley tunnel " +
    "turnstile valve vane vault viaduct vineyard wagon wardrobe weir wharf winch windmill workbench yard",
);

/** What one does with them. */
export const VERBS = words(
  "approve postpone reconcile measure publish renegotiate translate sketch replace inspect deliver archive " +
    "schedule consolidate recount trim extend benchmark circulate finalise rewrite compare sample refit " +
    "repaint assemble decommission catalogue explain weigh verify simplify illustrate pack ship " +
    "align anchor auction balance bolt borrow calibrate carve cleanse clip cool crate defrost dismantle " +
    "drain duplicate empty engrave fasten fence file flatten fold fumigate glaze grease hoist hose index " +
    "insulate label laminate lease level lubricate mend mount mow number oil outline patch photograph plane " +
    "plaster polish prune quote rent rewire rinse sand scan scrub seal sharpen shelve solder sort splice " +
    "stack stencil stretch sweep swap tag test thaw tighten tow unbolt unload upholster varnish weld wrap",
);

/** Who does it. */
export const TRADES = words(
  "auditors vendors volunteers tenants drivers planners editors engineers apprentices inspectors bakers " +
    "trustees curators pilots librarians surveyors gardeners students accountants translators mechanics " +
    "plumbers roofers glaziers stokers ushers porters welders tailors brewers joiners masons foresters " +
    "botanists archivists printers riggers stewards beekeepers cartographers dispatchers ferrymen upholsterers",
);

/** Syllables that places are named from. */
export const PLACE_HEADS = words(
  "Hal Brück Avel Sen Kørs Łąk Naga Shem Vale Ard Pré Žlut Marrow Öster Zahr Kest Tolm Quen Ibar Fjell " +
    "Gmünd Ostra Pell Ruan Sval Tarn Ulm Vess Wyn Yr Ash Bryn Crai Dun Ehr Fenn Gorm Hels Inver Jut",
);

/** How their names end. */
export const PLACE_TAILS = words(
  "stein enau a ora vik owice mori er inho morran eux ice field hamn a el bury by combe dal en eck ford gate " +
    "heim ingen itz kirk low mere nes ow port quist rode sund thorpe um vær wick",
);

/** What stands there. */
export const PLACE_KINDS = [
  "",
  "",
  "",
  " Quay",
  " Hill",
  " Point",
  " Cross",
  " Bridge",
  " Halt",
  " Mill",
  " do Vale",
];

/** Kinds of office papers. */
export const PAPERS = words(
  "plan notes minutes review proposal summary tracker brief estimate FAQ agenda retrospective handover " +
    "comparison protocol overview memo outline appendix",
);
