/**
 * Which fields of an answer the derived ones say completely, once GUM's own mask has narrowed the
 * answer: nothing is lost when a profile keeps those in their place, so nothing is reported.
 */

/** A field and the derived ones that say what it says; none where their absence says it. */
export type CarriedPaths = Readonly<Record<string, readonly string[]>>;

const EVENT: CarriedPaths = {
  start: ["starts"],
  end: ["ends"],
  // `moved_from` is there when it is not the start.
  originalStartTime: ["starts"],
  // `event_kind` is there when it is not an ordinary event.
  eventType: [],
  organizer: ["organizer_email"],
  attendees: ["guests"],
  recurrence: ["repeats"],
};

const CONTACT: CarriedPaths = {
  names: ["name"],
  emailAddresses: ["emails"],
  phoneNumbers: ["phones"],
  addresses: ["postal"],
  organizations: ["company", "job"],
  birthdays: ["birthday"],
};

const CHAT_MESSAGE: CarriedPaths = {
  sender: ["sender_id", "sender_name", "sender_type"],
  thread: ["thread_name"],
  emojiReactionSummaries: ["reactions"],
};

const MESSAGE: CarriedPaths = { labelIds: ["labels"] };

function within(list: string, fields: CarriedPaths): CarriedPaths {
  return Object.fromEntries(
    Object.entries(fields).map(([field, names]) => [
      `${list}.${field}`,
      names.map((name) => `${list}.${name}`),
    ]),
  );
}

/** By operation. */
export const CARRIED: Readonly<Record<string, CarriedPaths>> = {
  "admin.directory.users.get": { name: ["full_name"] },
  "admin.directory.users.list": { "users.name": ["users.full_name"] },
  "calendar.acl.get": { scope: ["scope_type", "scope_value"] },
  "calendar.acl.list": { "items.scope": ["items.scope_type", "items.scope_value"] },
  "calendar.events.get": EVENT,
  "calendar.events.instances": within("items", EVENT),
  "calendar.events.list": within("items", EVENT),
  "chat.spaces.members.list": {
    "memberships.member": [
      "memberships.member_id",
      "memberships.member_name",
      "memberships.member_type",
    ],
  },
  "chat.spaces.messages.get": CHAT_MESSAGE,
  "chat.spaces.messages.list": within("messages", CHAT_MESSAGE),
  "classroom.courses.students.list": {
    "students.profile": ["students.email", "students.full_name"],
  },
  "cloudidentity.groups.get": { groupKey: ["email"] },
  "cloudidentity.groups.list": { "groups.groupKey": ["groups.email"] },
  "cloudidentity.groups.memberships.get": {
    preferredMemberKey: ["member"],
    roles: ["role_names"],
  },
  "cloudidentity.groups.memberships.list": {
    "memberships.preferredMemberKey": ["memberships.member"],
    "memberships.roles": ["memberships.role_names"],
  },
  "drive.files.list": {
    "files.owners": ["files.owner"],
    "files.parents": ["files.folder"],
    "files.webViewLink": ["links", "files.link"],
  },
  "gmail.users.drafts.get": { "message.labelIds": ["message.labels"] },
  "gmail.users.drafts.list": { "drafts.message": ["drafts.message_id", "drafts.thread_id"] },
  "gmail.users.history.list": {
    "history.messagesAdded": ["history.added"],
    "history.messagesDeleted": ["history.deleted"],
    "history.labelsAdded": ["history.labels_added"],
    "history.labelsRemoved": ["history.labels_removed"],
  },
  "gmail.users.messages.get": MESSAGE,
  "gmail.users.threads.get": within("messages", MESSAGE),
  "meet.conferenceRecords.recordings.list": {
    "recordings.driveDestination": ["recordings.file", "recordings.link"],
  },
  "meet.conferenceRecords.transcripts.list": {
    "transcripts.docsDestination": ["transcripts.file", "transcripts.link"],
  },
  "people.connections.list": within("connections", CONTACT),
  "people.people.get": { ...CONTACT, "names.displayName": ["name"] },
  "people.people.searchContacts": {
    "results.person": [
      "results.contact",
      "results.name",
      "results.emails",
      "results.phones",
      "results.postal",
      "results.company",
      "results.job",
      "results.birthday",
    ],
  },
  // Columns are named by the dimensions that were asked for.
  "searchconsole.searchanalytics.query": { "rows.keys": [] },
  "script.projects.deployments.list": {
    "deployments.deploymentConfig": ["deployments.description", "deployments.version"],
    "deployments.entryPoints": ["deployments.url"],
  },
  "youtube.channels.list": {
    "items.contentDetails": ["items.uploads_playlist"],
    "items.snippet": ["items.title", "items.description", "items.published", "items.handle"],
  },
  "youtube.playlists.list": {
    "items.contentDetails": ["items.videos"],
    "items.snippet": ["items.title", "items.description", "items.published", "items.channel"],
    "items.status": ["items.privacy"],
  },
  "youtube.search.list": {
    "items.id": ["items.video_id"],
    "items.snippet": ["items.title", "items.description", "items.published", "items.channel"],
  },
  "youtube.subscriptions.list": {
    "items.contentDetails": ["items.videos", "items.new_videos"],
    "items.snippet": ["items.title", "items.description", "items.since", "items.channel_id"],
  },
  "youtube.videos.list": {
    "items.contentDetails": ["items.duration", "items.captions"],
    "items.snippet": ["items.title", "items.description", "items.published", "items.channel"],
    "items.statistics": ["items.views", "items.likes", "items.comments"],
    "items.status": ["items.privacy"],
  },
};
