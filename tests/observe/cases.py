"""The series of a healthy hub over three hours, and for each alert the series that make it fire."""

UNTIL = "180m"
STEPS = "x180"  # a sample each minute


def at(value):
    return f"{value}+0{STEPS}"


def growing(by):
    return f"0+{by}{STEPS}"


def series(metric, **labels):
    both = {"job": "tunehub", "instance": "hub:8080"} | labels
    return metric + "{" + ",".join(f'{name}="{value}"' for name, value in both.items()) + "}"


TABLE = {"code": "200", "method": "GET", "route": "/tuned/{family}"}
BUCKETS = ("0.1", "0.5", "2.5", "+Inf")
WAITS = ("0.1", "1", "2.5", "+Inf")

UP = series("up")
STARTED = series("process_start_time_seconds")
ANSWERS, ERRORS = (series("tunehub_http_answer_seconds_count", **TABLE | {"code": it}) for it in ("200", "503"))
SECONDS = [series("tunehub_http_answer_seconds_bucket", **TABLE, le=it) for it in BUCKETS]
POOL = [series("tunehub_pool_wait_seconds_bucket", pool="reads", le=it) for it in WAITS]
REFUSALS = series("tunehub_refusals_total", limit="connections")
CONNECTIONS, MOST_CONNECTIONS = series("tunehub_connections"), series("tunehub_connections_limit")
FILES, MOST_FILES = series("process_open_fds"), series("process_max_fds")
CERTIFICATE = series("tunehub_tls_certificate_expires_seconds")
UNKNOWN, EXPIRED = (series("tunehub_keys_rejected_total", reason=it) for it in ("unknown", "expired"))
REACHABLE, READ_ONLY = series("tunehub_database_reachable"), series("tunehub_database_read_only")
BEHIND = series("tunehub_snapshot_behind_revisions")
LOST, CONFLICT = (series("tunehub_database_failures_total", kind=it) for it in ("lost", "conflict"))
STANDBYS, LAG = series("tunehub_database_standbys", sync="yes"), series("tunehub_database_replication_lag_bytes")
ARCHIVE = series("tunehub_wal_archive_failures_total")
BACKUP = series("tunehub_backup_made_seconds")
FREE, DISK = series("tunehub_data_disk_free_bytes"), series("tunehub_data_disk_bytes")
STORED, REJECTED = (series("tunehub_ingest_rows_total", outcome=it) for it in ("stored", "rejected"))
QUARANTINED = series("tunehub_ingest_quarantined_rows_total")
EXPIRIES = series("tunehub_leases_expired_total")
QUEUED, RUNNING, PARKED = (series("tunehub_jobs", state=it) for it in ("queued", "running", "parked"))

HEALTHY = {
    UP: at(1), STARTED: at(1000), ANSWERS: growing(100), ERRORS: growing(1), REFUSALS: growing(0),
    CONNECTIONS: at(300), MOST_CONNECTIONS: at(1000), FILES: at(100), MOST_FILES: at(1024), CERTIFICATE: at(90 * 86400),
    UNKNOWN: growing(1), EXPIRED: at(3), REACHABLE: at(1), READ_ONLY: at(0), BEHIND: at(0),
    LOST: at(2), CONFLICT: growing(100), STANDBYS: at(2), LAG: at(4096), ARCHIVE: at(1), BACKUP: growing(60), FREE: at(50), DISK: at(100),
    STORED: growing(100), REJECTED: growing(1), QUARANTINED: growing(2), EXPIRIES: at(7),
    QUEUED: at(5), RUNNING: at(1), PARKED: at(0),
} | {it: growing(100) for it in SECONDS + POOL}


def slow(buckets):
    """Half of all requests take longer than the second bucket's bound."""
    return {it: growing(50 if place < 2 else 100) for place, it in enumerate(buckets)}


# By alert: the series that differ from a healthy hub's, and the other alerts that fire, too.
FIRING = {
    "TunehubDown": ({UP: at(0)}, []),
    "TunehubRestarts": ({STARTED: growing(60)}, []),
    "TunehubErrors": ({ERRORS: growing(10)}, []),
    "TunehubReadsSlow": (slow(SECONDS), []),
    "TunehubPoolWaits": (slow(POOL), []),
    "TunehubRefusals": ({REFUSALS: growing(30)}, []),
    "TunehubConnectionsFull": ({CONNECTIONS: at(900)}, []),
    "TunehubFilesFull": ({FILES: at(1000)}, []),
    "TunehubCertificateEnds": ({CERTIFICATE: at(10 * 86400)}, []),
    "TunehubKeysGuessed": ({UNKNOWN: growing(120)}, []),
    "TunehubOldKeyUsed": ({EXPIRED: growing(1)}, []),
    "TunehubDatabaseUnreachable": ({REACHABLE: at(0)}, []),
    "TunehubDatabaseReadOnly": ({READ_ONLY: at(1)}, []),
    "TunehubBehind": ({BEHIND: at(3)}, []),
    "TunehubDatabaseFailures": ({LOST: growing(6)}, []),
    "TunehubStandbyLost": ({STANDBYS: "2+0x160 1+0x20"}, []),
    "TunehubReplicationLags": ({LAG: at(100_000_000)}, []),
    "TunehubWalArchiveFails": ({ARCHIVE: growing(1)}, []),
    "TunehubBackupOld": ({BACKUP: at(-200_000)}, []),
    "TunehubDiskFull": ({FREE: at(9)}, []),
    "TunehubBadRows": ({REJECTED: growing(5), QUARANTINED: growing(10)}, []),
    "TunehubLeasesExpire": ({EXPIRIES: growing(1)}, []),
    "TunehubJobsWait": ({RUNNING: at(0)}, []),
    "TunehubJobsParked": ({PARKED: at(2)}, []),
}
