"""Routes of libraries: the programming interface and the sign-in pages."""

from __future__ import annotations

from tests.routes.rows import Params

# The programming interface, which asks for a token (`tests/test_api.py`): what its addresses name.
API_ROWS: dict[str, Params] = {
    "api-root": {},
    "openapi-json": {},
    "api_token": {},
    "api_versions": {},
    "api_version": {"number": "1.0.0"},
    "api_compare": {"number": "1.0.0", "other": "1.1.0"},
    "api_manifest": {"number": "1.0.0"},
    "api_export": {"number": "1.0.0", "format_name": "dataset"},
}

# The sign-in library's own pages: whether somebody who is not signed in sees more than the way to the sign-in page.
ACCOUNT_ROWS: dict[str, tuple[bool, Params]] = {
    "account_login": (True, {}),
    "account_logout": (True, {}),
    "account_inactive": (True, {}),
    "account_signup": (True, {}),
    "account_reset_password": (True, {}),
    "account_reset_password_done": (True, {}),
    "account_reset_password_from_key": (True, {"uidb36": "1", "key": "guessed-key"}),
    "account_reset_password_from_key_done": (True, {}),
    "account_confirm_email": (True, {"key": "guessed"}),
    "account_email_verification_sent": (True, {}),
    "account_confirm_login_code": (False, {}),
    "account_email": (False, {}),
    "account_change_password": (False, {}),
    "account_set_password": (False, {}),
    "account_reauthenticate": (False, {}),
    "account_request_reauthentication_code": (False, {}),
    "account_confirm_reauthentication_code": (False, {}),
    "mfa_index": (False, {}),
    "mfa_authenticate": (False, {}),
    "mfa_reauthenticate": (False, {}),
    "mfa_activate_totp": (False, {}),
    "mfa_deactivate_totp": (False, {}),
    "mfa_view_recovery_codes": (False, {}),
    "mfa_generate_recovery_codes": (False, {}),
    "mfa_download_recovery_codes": (False, {}),
}
